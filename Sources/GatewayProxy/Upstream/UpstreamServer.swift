import GatewayBase
import Synchronization

/// One server of a backend of one app: its health and its load, which outlive reloads. Apps that name the same server have
/// one each, and share its place: what one app's requests meet there never keeps another's away.
package final class UpstreamServer: Sendable {
  /// What it shares with other apps that name it.
  let place: UpstreamPlace
  private let health: Locked<ServerHealth>
  /// What requests must know of `health`, in one number; see `Bulletin`.
  private let bulletin: Atomic<UInt64>
  private let underWay = Atomic<Int>(0)
  private let ejected = Atomic<UInt64>(0)

  init(_ place: UpstreamPlace, health: ServerHealth, now: UInt64) {
    self.place = place
    bulletin = Atomic(Bulletin(health, now: now).number)
    self.health = Locked(health)
  }

  package var endpoint: UpstreamEndpoint { place.endpoint }
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
