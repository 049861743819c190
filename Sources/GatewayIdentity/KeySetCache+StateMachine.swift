import GatewayBase
import GatewayCrypto

extension KeySetCache {
  /// Decides when an issuer's key set is fetched and what each request hears. It knows no clock and does no I/O: times
  /// are monotonic milliseconds that come in, fetches are orders that go out.
  ///
  /// - A set is kept over every failed fetch, and replaced by a good one only.
  /// - One fetch runs at a time; requests that need its outcome wait for it together.
  /// - A set is used for `Limits.keySetLifetime`, then fetched again behind the requests that it goes on serving.
  /// - An unknown key id, and a bad signature under a known one, fetch at most once in `Limits.keySetCoolDown` for all
  ///   requests together: a flood of invented ids must not become a flood at the issuer. Neither the first fetch nor a
  ///   refresh starts that time, as a key may be new just then.
  struct StateMachine {
    typealias WaiterID = UInt64

    /// What a request hears about the key of its token.
    enum Answer: Sendable, Equatable {
      case key(VerifyingKey)
      case unknownKey
      /// The key is known, and it is still the one under which the signature was bad.
      case badSignature
      /// There is no set at all, or too many requests wait; with seconds to wait.
      case unavailable(retryAfter: Int)
    }

    /// What to do for a request.
    struct Decision: Equatable {
      /// Nil: the waiter hears it when the fetch under way has finished.
      let answer: Answer?
      /// Order: fetch the set, then call `fetchFinished`.
      let startsFetch: Bool
    }

    private struct Waiter {
      let id: WaiterID
      let kid: String
      let rejected: VerifyingKey?
    }

    private struct Fetch {
      /// Whether an unknown key was its cause.
      let isForUnknownKey: Bool
      var waiters: [Waiter] = []
    }

    private var set: JSONWebKeySet?
    private var fetchedAt: UInt64 = 0
    private var fetch: Fetch?
    /// When an unknown key may next cause a fetch.
    private var coolUntil: UInt64 = 0
    /// When the first fetch or a refresh may next be tried after failures.
    private var retryAt: UInt64 = 0
    private var failures: UInt64 = 0
    /// Ids that a fetch for unknown keys did not bring, and until when they are refused at once.
    private var unknown: [String: UInt64] = [:]

    /// A request needs the key `kid`.
    ///
    /// - Parameter rejected: the key of that id under which the token's signature turned out bad, if any.
    mutating func keyWanted(kid: String, rejected: VerifyingKey?, waiter: WaiterID, now: UInt64) -> Decision {
      let waiter = Waiter(id: waiter, kid: kid, rejected: rejected)
      guard let set else { return firstSetWanted(waiter, now) }
      let refreshes = fetch == nil && now >= max(retryAt, fetchedAt + Limits.keySetLifetime)
      if refreshes { fetch = Fetch(isForUnknownKey: false) }
      let answer = Self.answer(to: waiter, from: set)
      if case .key = answer { return Decision(answer: answer, startsFetch: refreshes) }
      if let until = unknown[kid], now < until { return Decision(answer: answer, startsFetch: refreshes) }
      if fetch != nil { return join(waiter, starts: refreshes) }
      guard now >= coolUntil else { return Decision(answer: answer, startsFetch: false) }
      coolUntil = now + Limits.keySetCoolDown
      fetch = Fetch(isForUnknownKey: true)
      return join(waiter, starts: true)
    }

    private mutating func firstSetWanted(_ waiter: Waiter, _ now: UInt64) -> Decision {
      if fetch != nil { return join(waiter, starts: false) }
      guard now >= retryAt else { return Decision(answer: unavailable(now), startsFetch: false) }
      fetch = Fetch(isForUnknownKey: false)
      return join(waiter, starts: true)
    }

    private mutating func join(_ waiter: Waiter, starts: Bool) -> Decision {
      guard let waiting = fetch?.waiters.count, waiting < Limits.keySetWaiters else {
        return Decision(answer: .unavailable(retryAfter: 1), startsFetch: starts)
      }
      fetch?.waiters.append(waiter)
      return Decision(answer: nil, startsFetch: starts)
    }

    /// The fetch ended.
    ///
    /// - Parameter newSet: nil where it failed or what came is no key set. A set without a usable key counts as failed.
    /// - Returns: what each waiter hears.
    mutating func fetchFinished(_ newSet: JSONWebKeySet?, now: UInt64) -> [(WaiterID, Answer)] {
      guard let finished = fetch else { return [] }
      fetch = nil
      if let newSet, newSet.count > 0 {
        set = newSet
        fetchedAt = now
        retryAt = now
        failures = 0
        if finished.isForUnknownKey { remember(finished.waiters.map(\.kid), now) }
      } else {
        // 2⁵ seconds is over the ceiling already; the shift must not grow with the failures.
        retryAt = now + min(Limits.keySetRetry << min(failures, 5), Limits.keySetCoolDown)
        failures += 1
      }
      guard let set else { return finished.waiters.map { ($0.id, unavailable(now)) } }
      return finished.waiters.map { ($0.id, Self.answer(to: $0, from: set)) }
    }

    private mutating func remember(_ kids: [String], _ now: UInt64) {
      unknown = unknown.filter { now < $0.value }
      for kid in kids where set?[kid] == nil && unknown.count < Limits.unknownKeyIDs {
        unknown[kid] = now + Limits.keySetCoolDown
      }
    }

    private static func answer(to waiter: Waiter, from set: JSONWebKeySet) -> Answer {
      guard let key = set[waiter.kid] else { return .unknownKey }
      return key == waiter.rejected ? .badSignature : .key(key)
    }

    private func unavailable(_ now: UInt64) -> Answer {
      .unavailable(retryAfter: retryAt > now ? Int(clamping: (retryAt - now + 999) / 1000) : 1)
    }
  }
}
