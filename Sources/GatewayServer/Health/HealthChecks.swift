import GatewayBase
import GatewayIO
import GatewayIdentity
import GatewayOutbound
import GatewayProxy

/// The gateway's own requests to the servers of backends that have `health`, and what follows from their answers.
///
/// Which servers are asked follows the loaded apps; what is known of a server stays with it across reloads.
final class HealthChecks: Sendable {
  /// One server to ask, and on whose behalf.
  private struct Subject: Sendable {
    let app: Int64
    /// What the app's users call it by.
    let host: String?
    let backend: Backend
    let server: UpstreamServer
    let check: Backend.Check
  }

  private struct State {
    var subjects: [ObjectIdentifier: Subject] = [:]
    var schedule = CheckSchedule<ObjectIdentifier>()
    /// The proof of each app's checks, while it is good.
    var assertions: [Int64: AssertionIssuer.Assertion] = [:]
  }

  /// Milliseconds after which a check that is new is noticed at the latest.
  private static let nap: UInt64 = 100
  /// Milliseconds between two looks at the schedule at least, also where more is due than may run at once.
  private static let leastNap: UInt64 = 10

  private let prober: Prober
  private let assertions: AssertionIssuer
  private let clock: any WallClock
  private let logger: Logger
  private let state = Locked(State())

  /// - Throws: `OutboundError` where libcurl can't be had.
  init(assertions: AssertionIssuer, clock: any WallClock, logger: Logger) throws {
    prober = try Prober()
    self.assertions = assertions
    self.clock = clock
    self.logger = logger
  }

  /// Asks the servers of some apps from now on, and no longer those of others. A server of two backends is asked as the
  /// first says.
  func follow(_ tenants: [Tenant], instead gone: [Tenant]) {
    let new = Self.subjects(of: tenants)
    let old = Self.subjects(of: gone).keys.filter { new[$0] == nil }
    guard !new.isEmpty || !old.isEmpty else { return }
    state.withLock { state in
      for key in old {
        if let app = state.subjects.removeValue(forKey: key)?.app { state.assertions[app] = nil }
        state.schedule.remove(key)
      }
      for (key, subject) in new {
        state.subjects[key] = subject
        state.schedule.add(key, every: subject.check.interval, now: now) { .random(in: 0..<1) }
      }
    }
  }

  private static func subjects(of tenants: [Tenant]) -> [ObjectIdentifier: Subject] {
    var subjects: [ObjectIdentifier: Subject] = [:]
    for tenant in tenants {
      for backend in tenant.backends {
        guard let check = backend.check else { continue }
        for server in backend.servers where subjects[ObjectIdentifier(server)] == nil {
          subjects[ObjectIdentifier(server)] = Subject(
            app: tenant.appID, host: tenant.hosts.first?.description, backend: backend, server: server, check: check)
        }
      }
    }
    return subjects
  }

  /// Checks until it is cancelled.
  func run() async {
    while !Task.isCancelled {
      for subject in due() { check(subject) }
      let next = state.withLock { $0.schedule.nextAt } ?? .max
      let wait = min(Self.nap, next > now + Self.leastNap ? next - now : Self.leastNap)
      try? await Task.sleep(nanoseconds: wait * 1_000_000)
    }
  }

  private var now: UInt64 { MonotonicClock.nanoseconds / 1_000_000 }

  private func due() -> [Subject] {
    state.withLock { state in
      state.schedule.begin(now: now, limit: Limits.healthChecks) { .random(in: 0..<1) }
        .compactMap { state.subjects[$0] }
    }
  }

  private func check(_ subject: Subject) {
    prober.send(probe(subject)) { [self] result in
      let key = ObjectIdentifier(subject.server)
      let isWanted = state.withLock { state in
        state.schedule.finished(key)
        return state.subjects[key] != nil
      }
      guard isWanted else { return }
      subject.backend.checked(
        subject.server, fault: result.fault, now: now, HealthSite(app: subject.app, logger: logger))
    }
  }

  private func probe(_ subject: Subject) -> Probe {
    let endpoint = subject.server.endpoint
    var probe: Probe
    switch endpoint.location {
    case .network: probe = Probe(url: "\(endpoint)\(subject.check.path)")
    case .unix(let path):
      probe = Probe(url: "http://localhost\(subject.check.path)")
      probe.unixPath = path
    }
    if case .tls(let authorities) = endpoint.security { probe.authorities = authorities }
    probe.usesHTTP2 = endpoint.applicationProtocol == .h2
    probe.timeout = Int(clamping: subject.check.timeout)
    if let host = subject.host { probe.fields.append(OutboundRequest.Field("Host", host)) }
    probe.fields.append(OutboundRequest.Field("X-Speed-App-Id", "\(subject.app)"))
    if let assertion = assertion(app: subject.app) {
      probe.fields.append(OutboundRequest.Field("X-Speed-Assertion", assertion))
    }
    return probe
  }

  /// The proof that a check of this app comes from here: one for all of its servers, made anew when it is half over.
  private func assertion(app: Int64) -> String? {
    let now = clock.now
    if let known = state.withLock({ $0.assertions[app] }), now < known.renewAt {
      return String(decoding: known.bytes, as: UTF8.self)
    }
    guard let made = try? assertions.issueForCheck(app: app, now: now) else { return nil }
    state.withLock { $0.assertions[app] = made }
    return String(decoding: made.bytes, as: UTF8.self)
  }
}
