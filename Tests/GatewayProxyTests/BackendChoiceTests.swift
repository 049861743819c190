import GatewayBase
import Testing

@testable import GatewayProxy

/// Which server a request gets.
@Suite struct BackendChoiceTests {
  private static func rules(slowStart: UInt64 = 0) -> HealthRules {
    var rules = HealthRules()
    (rules.isChecked, rules.ejectionFailures, rules.ejection, rules.slowStart) = (true, 1, 1_000, slowStart)
    return rules
  }

  private func backend(_ count: Int, _ policy: Backend.Policy = .roundRobin, slowStart: UInt64 = 0) -> Backend {
    let rules = Self.rules(slowStart: slowStart)
    let endpoints = (0..<count).map { UpstreamEndpoint(.network(host: "10.0.0.\($0)", port: 80)) }
    var app = AppServers(nil)
    let servers = UpstreamServers(now: { 0 }).servers(endpoints, of: &app) { _ in rules }
    return Backend(
      name: "main", servers: servers, timeouts: BackendTimeouts(), retries: 1, policy: policy, rules: rules)
  }

  private let site = HealthSite(app: 1, logger: Logger(level: .error))

  /// How many of `requests` each server gets; those that nobody gets are counted behind the last.
  private func spread(_ backend: Backend, _ requests: Int = 4_000, now: UInt64 = 0, seed: UInt64 = 1) -> [Int] {
    var chance = IDGenerator(seed: seed)
    var counts = [Int](repeating: 0, count: backend.servers.count + 1)
    for turn in 0..<requests {
      let favourite = backend.favourite(turn: UInt(turn), &chance)
      let index =
        backend.servers[favourite].isPlain ? favourite : backend.reconsider(favourite, now: now, &chance)
      counts[index ?? backend.servers.count] += 1
    }
    return counts
  }

  private func takeDown(_ backend: Backend, _ index: Int) {
    backend.checked(backend.servers[index], fault: "gone", now: 0, site)
  }

  private func eject(_ backend: Backend, _ index: Int, now: UInt64 = 0) {
    backend.requestFailed(.unreachable, at: index, now: now, chance: 0, site)
  }

  @Test("Servers that are well take turns exactly")
  func turns() { #expect(spread(backend(4)) == [1_000, 1_000, 1_000, 1_000, 0]) }

  @Test("The share of a server that is out goes to all others alike", arguments: [true, false])
  func sharedOut(isDown: Bool) {
    let backend = backend(4)
    if isDown { takeDown(backend, 1) } else { eject(backend, 1) }
    let counts = spread(backend)
    #expect(counts[1] == 0 && counts[4] == 0)
    for index in [0, 2, 3] { #expect((1_200...1_470).contains(counts[index])) }
  }

  @Test("Of two servers the one with fewer requests under way is taken")
  func lessBusy() {
    let backend = backend(2, .leastRequests)
    for _ in 0..<5 { backend.servers[0].take() }
    #expect(spread(backend) == [0, 4_000, 0])
    for _ in 0..<6 { backend.servers[1].take() }
    #expect(spread(backend) == [4_000, 0, 0])
  }

  @Test("Of many servers that are as busy, each is as likely; the busiest one of all is never taken")
  func twoChoices() {
    let backend = backend(4, .leastRequests)
    for count in spread(backend).prefix(4) { #expect((880...1_120).contains(count)) }
    backend.servers[2].take()
    #expect(spread(backend)[2] == 0)
  }

  @Test("The policy of the fewest requests passes over servers that are out, whose count is low")
  func lessBusyOfThose() {
    let backend = backend(3, .leastRequests)
    takeDown(backend, 0)
    for index in 1...2 { backend.servers[index].take() }
    backend.servers[2].take()
    #expect(spread(backend) == [0, 4_000, 0, 0])
  }

  @Test("GW-74 with all servers down nobody gets a request")
  func allDown() {
    let backend = backend(2)
    for index in 0...1 { takeDown(backend, index) }
    #expect(spread(backend) == [0, 0, 4_000])
    var chance = IDGenerator(seed: 1)
    #expect(backend.choose(afterFailed: [], now: 0, &chance) == nil)
  }

  @Test("GW-74 the last one that is not down is used, however it fails")
  func lastLeft() {
    let backend = backend(3)
    takeDown(backend, 0)
    eject(backend, 1)
    eject(backend, 2)
    #expect(spread(backend) == [0, 0, 4_000, 0])
  }

  @Test("A request that failed goes to those in service first, then to those that are ejected, each once")
  func order() {
    let backend = backend(4)
    takeDown(backend, 0)
    eject(backend, 1)
    var chance = IDGenerator(seed: 3)
    let second = backend.choose(afterFailed: [2], now: 0, &chance)
    #expect(second == 3)
    #expect(backend.choose(afterFailed: [2, 3], now: 0, &chance) == 1)
    #expect(backend.choose(afterFailed: [2, 3, 1], now: 0, &chance) == nil)
  }

  @Test("An ejection that is over is taken back by the next request that meets it, and the server begins slowly")
  func overAndBack() {
    let backend = backend(2, slowStart: 10_000)
    eject(backend, 0)
    #expect(spread(backend, now: 500)[0] == 0)
    backend.timePassed(now: 1_000, site)
    #expect(backend.servers[0].standing(now: 1_000) == .warming(until: 11_000))
    let begin = spread(backend, now: 1_000)[0]
    let middle = spread(backend, now: 6_000)[0]
    let end = spread(backend, now: 11_000)[0]
    // A tenth of its half, then more, then all of it.
    #expect((120...290).contains(begin))
    #expect((980...1_220).contains(middle))
    #expect(end == 2_000)
  }

  @Test("Servers that are all in their slow start share as usual")
  func allWarming() {
    let backend = backend(2, slowStart: 10_000)
    for index in 0...1 {
      takeDown(backend, index)
      for _ in 0..<2 { backend.checked(backend.servers[index], fault: nil, now: 0, site) }
    }
    #expect(spread(backend, now: 1) == [2_000, 2_000, 0])
  }

  @Test("One request more than a backend may have is turned away, until one is done")
  func circuit() {
    let load = BackendLoad()
    #expect(load.enter(limit: 2) && load.enter(limit: 2))
    #expect(!load.enter(limit: 2))
    #expect(load.requestsUnderWay == 2 && load.refusals == 1)
    load.leave()
    #expect(load.enter(limit: 2))
  }
}

@Suite struct UpstreamServersTests {
  private func endpoints(_ ports: UInt16...) -> [UpstreamEndpoint] {
    ports.map { UpstreamEndpoint(.network(host: "10.0.0.1", port: $0)) }
  }

  /// A version of an app with one backend.
  private func version(
    _ ports: UInt16..., of servers: UpstreamServers, rules: HealthRules = HealthRules(),
    replacing previous: Tenant? = nil
  ) -> Tenant {
    var app = AppServers(previous)
    let endpoints = ports.map { UpstreamEndpoint(.network(host: "10.0.0.1", port: $0)) }
    let backend = Backend(
      name: "main", servers: servers.servers(endpoints, of: &app) { _ in rules }, timeouts: BackendTimeouts(),
      retries: 0, load: app.load(backend: "main"))
    return Tenant(
      appID: 1, hosts: [], requestFrom: [], hasOpaquePaths: false, allowsMethodOverride: false, routes: RouteTable([]),
      backends: [backend])
  }

  @Test("GW-73 a server keeps its health across reloads, and a new one beside it begins slowly")
  func kept() {
    let servers = UpstreamServers(now: { 1_000 })
    var rules = HealthRules()
    rules.isChecked = true
    let before = version(1, 2, of: servers, rules: rules)
    let first = before.backends[0].servers
    #expect(first.allSatisfy { $0.isPlain })
    _ = first[0].note({ $0.checkFailed() }, now: 1_000)
    let after = version(2, 1, 3, of: servers, rules: rules, replacing: before)
    let second = after.backends[0].servers
    #expect(second[1] === first[0] && second[1].standing(now: 1_000) == .down)
    #expect(second[0] === first[1] && second[0].isPlain)
    #expect(second[2].standing(now: 1_000) == .warming(until: 11_000))
    #expect(after.backends[0].load === before.backends[0].load)
    #expect(version(1, of: servers, rules: rules).backends[0].servers[0].isPlain, "another app judges for itself")
  }

  @Test("Apps that name one server share its addresses and connections, but neither health nor load")
  func shared() {
    let servers = UpstreamServers()
    let (one, other) = (version(1, of: servers).backends[0], version(1, of: servers).backends[0])
    #expect(one.servers[0].place === other.servers[0].place)
    #expect(one.servers[0] !== other.servers[0] && one.load !== other.load)
  }

  @Test("What secures a connection or is spoken on it tells servers apart")
  func apart() {
    var variants = endpoints(443, 443, 443, 443)
    variants[1].security = .tls(authorities: nil)
    variants[2].security = .tls(authorities: "ca.pem")
    variants[3].applicationProtocol = .h2
    var app = AppServers(nil)
    let pools = UpstreamServers().servers(variants, of: &app, rules: { _ in HealthRules() }).map(\.place.poolIndex)
    #expect(Set(pools).count == 4)
  }

  @Test("What no app names any more is forgotten, and its index given again; what is in use keeps its own")
  func forgotten() {
    let servers = UpstreamServers()
    let kept = version(1, of: servers)
    var gone: [Tenant]? = (2...200).map { version($0, of: servers) }
    let highest = gone?.map { $0.backends[0].servers[0].place.poolIndex }.max() ?? 0
    gone = nil
    let later = (201...300).map { version($0, of: servers) }
    let indices = later.map { $0.backends[0].servers[0].place.poolIndex }
    let own = kept.backends[0].servers[0]
    #expect(Set(indices).count == 100 && indices.allSatisfy { $0 <= highest && $0 != own.place.poolIndex })
    #expect(version(1, of: servers).backends[0].servers[0].place === own.place)
  }

  @Test("The families of a name's addresses take turns, and the one that worked last goes first")
  func addresses() throws {
    let texts = ["2001:db8::1", "2001:db8::2", "192.0.2.1", "2001:db8::3", "192.0.2.2"]
    let found = try texts.map { try #require(SocketAddress(literal: $0, port: 80)) }
    let ordered = AddressOrder.interleaved(found, preferring: nil).map(\.host.description)
    #expect(ordered == ["2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "2001:db8::3"])
    #expect(AddressOrder.interleaved(found, preferring: found[4]).first == found[4])
    let gone = try #require(SocketAddress(literal: "192.0.2.9", port: 80))
    #expect(AddressOrder.interleaved(found, preferring: gone).first == found[0])
    #expect(AddressOrder.interleaved([], preferring: gone).isEmpty)
    let server = UpstreamServers().server(host: "name.test", port: 80).place
    server.resolved(found, now: 0)
    server.prefer(found[2])
    #expect(server.addresses(now: 0).known.first == found[2])
    server.resolved(found, now: 1)
    #expect(server.addresses(now: 1).known.first == found[2])
  }
}
