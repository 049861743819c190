import GatewayBase
import GatewayIO
import Synchronization

/// One server of a backend: its addresses, its health, its load. It outlives reloads, so that its connections and what
/// is known of its health do too.
package final class UpstreamServer: Sendable {
  package let endpoint: UpstreamEndpoint
  /// Its part of a line in the access log.
  let logged: [UInt8]
  /// TLS, where it is spoken to this server.
  let tls: BackendTLS?
  /// Where the loops keep its idle connections.
  let poolIndex: Int
  private let resolution: Locked<Resolution>
  private let health: Locked<ServerHealth>
  /// What requests must know of `health`, in one number; see `Bulletin`.
  private let bulletin: Atomic<UInt64>
  /// `Resolution.nextAt`, for requests that need no look at the addresses.
  private let lookUpAt: Atomic<UInt64>
  /// Raised when an address is no longer one of the name's.
  private let moves = Atomic<UInt32>(0)
  private let underWay = Atomic<Int>(0)
  private let ejected = Atomic<UInt64>(0)

  private struct Resolution {
    var addresses: [SocketAddress]
    /// Monotonic milliseconds from which on a look-up is due; `.max` for an address that is none of a name.
    var nextAt: UInt64
    /// The address that others were tried before in vain.
    var preferred: SocketAddress?
  }

  /// Milliseconds after which a name is looked up again; the addresses found last serve meanwhile. The system's
  /// resolver tells no time to live, so this is one that suits most names.
  static let resolutionLifetime: UInt64 = 30_000
  /// The same after a look-up that failed.
  static let resolutionRetry: UInt64 = 5_000

  init(_ endpoint: UpstreamEndpoint, poolIndex: Int, health: ServerHealth, now: UInt64) {
    self.endpoint = endpoint
    logged = AccessLog.member("upstream", "\(endpoint)")
    tls = BackendTLS(endpoint)
    self.poolIndex = poolIndex
    var addresses: [SocketAddress] = []
    var isName = false
    if case .network(let host, let port) = endpoint.location {
      if let literal = SocketAddress(literal: host, port: port) { addresses = [literal] } else { isName = true }
    }
    resolution = Locked(Resolution(addresses: addresses, nextAt: isName ? 0 : .max))
    lookUpAt = Atomic(isName ? 0 : .max)
    bulletin = Atomic(Bulletin(health, now: now).number)
    self.health = Locked(health)
  }
}

// Addresses
extension UpstreamServer {
  /// The addresses known now, best first, and whether the caller should look the name up (again).
  func addresses(now: UInt64) -> (known: [SocketAddress], mustResolve: Bool) {
    resolution.withLock { resolution in
      guard now >= resolution.nextAt else { return (resolution.addresses, false) }
      resolution.nextAt = now + Self.resolutionLifetime
      lookUpAt.store(resolution.nextAt, ordering: .relaxed)
      return (resolution.addresses, true)
    }
  }

  /// Whether its name should be looked up (again).
  func isLookUpDue(now: UInt64) -> Bool { now >= lookUpAt.load(ordering: .relaxed) }

  /// How often an address ceased to be one of the name's: a connection made before such a move must be looked at.
  var moveCount: UInt32 { moves.load(ordering: .relaxed) }

  /// Whether `address` is one of those known now.
  func isAt(_ address: SocketAddress) -> Bool { resolution.withLock { $0.addresses.contains(address) } }

  /// Takes in what a look-up found; one that failed leaves the addresses that are known.
  func resolved(_ addresses: [SocketAddress], now: UInt64) {
    resolution.withLock { resolution in
      if addresses.isEmpty {
        resolution.nextAt = now + Self.resolutionRetry
        lookUpAt.store(resolution.nextAt, ordering: .relaxed)
      } else {
        if !resolution.addresses.allSatisfy(addresses.contains) { moves.wrappingAdd(1, ordering: .relaxed) }
        resolution.addresses = AddressOrder.interleaved(addresses, preferring: resolution.preferred)
      }
    }
  }

  /// Puts the address first that answered before those that were tried earlier.
  func prefer(_ address: SocketAddress) {
    resolution.withLock { resolution in
      resolution.preferred = address
      guard !resolution.addresses.isEmpty else { return }
      resolution.addresses = AddressOrder.interleaved(resolution.addresses, preferring: address)
    }
  }
}

// Load
extension UpstreamServer {
  /// Requests that it is at work on, of all loops.
  package var requestsUnderWay: Int { underWay.load(ordering: .relaxed) }

  func take() { underWay.wrappingAdd(1, ordering: .relaxed) }
  func letGo() { underWay.wrappingSubtract(1, ordering: .relaxed) }
}

// Health
extension UpstreamServer {
  /// Whether there is nothing to consider: up, with its full share, and the last request served.
  var isPlain: Bool { bulletin.load(ordering: .relaxed) == 0 }

  /// What it should get now.
  func standing(now: UInt64) -> ServerHealth.Standing {
    Bulletin(number: bulletin.load(ordering: .relaxed)).standing(now: now)
  }

  /// Whether it is in service: neither down nor ejected.
  package func isInService(now: UInt64) -> Bool {
    switch standing(now: now) {
    case .up, .warming: true
    case .ejected, .down: false
    }
  }

  /// Times that failed requests ejected it.
  package var ejections: UInt64 { ejected.load(ordering: .relaxed) }

  /// Takes in a fact about its health.
  func note(_ fact: (inout ServerHealth) -> ServerHealth.Change?, now: UInt64) -> ServerHealth.Change? {
    let change = health.withLock { health in
      let change = fact(&health)
      bulletin.store(Bulletin(health, now: now).number, ordering: .relaxed)
      return change
    }
    if case .ejected = change { ejected.wrappingAdd(1, ordering: .relaxed) }
    return change
  }

  /// Good news of a request. Costs a look at one number while nothing speaks against the server.
  func noteGood(_ news: (inout ServerHealth) -> ServerHealth.Change?, now: UInt64) -> ServerHealth.Change? {
    guard Bulletin(number: bulletin.load(ordering: .relaxed)).wantsGoodNews else { return nil }
    return note(news, now: now)
  }

  /// The end of an ejection or of the slow start, where its time has come.
  func timePassed(now: UInt64) -> ServerHealth.Change? {
    guard Bulletin(number: bulletin.load(ordering: .relaxed)).isOver(now: now) else { return nil }
    return note({ $0.timePassed(now: now) }, now: now)
  }
}

/// What requests must know of a server's health, in one number that loops read without a lock: 0 where there is
/// nothing to know.
struct Bulletin {
  private static let suspect: UInt64 = 1
  private static let warming: UInt64 = 1 << 1
  private static let ejected: UInt64 = 2 << 1
  private static let down: UInt64 = 3 << 1
  private static let standings: UInt64 = 3 << 1

  /// Bit 0: requests failed last. Bits 1 and 2: the standing. Above: until when, in milliseconds.
  let number: UInt64

  init(number: UInt64) { self.number = number }

  init(_ health: borrowing ServerHealth, now: UInt64) {
    let standing: UInt64
    switch health.standing(now: now) {
    case .up: standing = 0
    case .warming(let until): standing = Self.warming | until << 3
    case .ejected(let until): standing = Self.ejected | until << 3
    case .down: standing = Self.down
    }
    number = standing | (health.failures > 0 ? Self.suspect : 0)
  }

  private var until: UInt64 { number >> 3 }

  func standing(now: UInt64) -> ServerHealth.Standing {
    switch number & Self.standings {
    case Self.warming: now < until ? .warming(until: until) : .up
    case Self.ejected: now < until ? .ejected(until: until) : .up
    case Self.down: .down
    default: .up
    }
  }

  /// Whether a request that is served changes anything.
  var wantsGoodNews: Bool { number & Self.suspect != 0 || number & Self.standings == Self.ejected }

  /// Whether what it tells ends by time, and that has come.
  func isOver(now: UInt64) -> Bool {
    switch number & Self.standings {
    case Self.warming, Self.ejected: now >= until
    default: false
    }
  }
}
