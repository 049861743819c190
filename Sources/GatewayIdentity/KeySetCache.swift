import GatewayBase
import GatewayCrypto

/// The key set of one issuer, fetched when it is needed and shared by all requests. See `StateMachine` for the rules.
package actor KeySetCache {
  /// Why a token of the issuer is not believed.
  package enum Failure: Error, Sendable, Equatable {
    /// It is no compact JWS, or names no key.
    case malformed
    /// Its `alg` is not one that the caller takes.
    case algorithmNotAllowed
    case unknownKey
    case badSignature
    /// There is no key set to judge it with; with seconds to wait.
    case unavailable(retryAfter: Int)
  }

  /// Brings the text of the key set, or throws for anything but a whole answer with status 200.
  package typealias Fetch = @Sendable () async throws -> [UInt8]

  private struct NoUsableKey: Error, CustomStringConvertible {
    let description = "no key of the set can be used"
  }

  private let fetch: Fetch
  private let log: @Sendable (any Error) -> Void
  private let milliseconds: @Sendable () -> UInt64
  private var state = StateMachine()
  private var waiters: [StateMachine.WaiterID: CheckedContinuation<StateMachine.Answer, Never>] = [:]
  private var lastWaiter: StateMachine.WaiterID = 0

  /// - Parameters:
  ///   - log: is told why a fetch failed.
  ///   - milliseconds: a monotonic clock.
  package init(
    fetch: @escaping Fetch, log: @escaping @Sendable (any Error) -> Void = { _ in },
    milliseconds: @escaping @Sendable () -> UInt64 = { MonotonicClock.nanoseconds / 1_000_000 }
  ) {
    self.fetch = fetch
    self.log = log
    self.milliseconds = milliseconds
  }

  /// Believes or refuses a token's signature.
  ///
  /// The algorithm is judged first, so that a token that can't be good never costs a fetch. A bad signature may mean that
  /// the issuer gave a known id to a new key, so it is judged again where a fetch brings one.
  package nonisolated func verify(
    _ token: [UInt8], algorithms: Set<SignatureAlgorithm>
  ) async throws(Failure) -> CompactJWS {
    guard let jws = CompactJWS(parsing: token) else { throw .malformed }
    guard let algorithm = SignatureAlgorithm(rawValue: jws.algorithm), algorithms.contains(algorithm) else {
      throw .algorithmNotAllowed
    }
    guard let kid = jws.kid else { throw .malformed }
    let key = try await key(kid, rejected: nil)
    if jws.isSigned(by: key) { return jws }
    guard jws.isSigned(by: try await self.key(kid, rejected: key)) else { throw .badSignature }
    return jws
  }

  private func key(_ kid: String, rejected: VerifyingKey?) async throws(Failure) -> VerifyingKey {
    switch await answer(kid, rejected) {
    case .key(let key): return key
    case .unknownKey: throw .unknownKey
    case .badSignature: throw .badSignature
    case .unavailable(let seconds): throw .unavailable(retryAfter: seconds)
    }
  }

  private func answer(_ kid: String, _ rejected: VerifyingKey?) async -> StateMachine.Answer {
    lastWaiter += 1
    let waiter = lastWaiter
    let decision = state.keyWanted(kid: kid, rejected: rejected, waiter: waiter, now: milliseconds())
    if decision.startsFetch { Task { await fetchSet() } }
    if let answer = decision.answer { return answer }
    return await withCheckedContinuation { waiters[waiter] = $0 }
  }

  private func fetchSet() async {
    var set: JSONWebKeySet?
    do {
      let fetched = try JSONWebKeySet(parsing: try await fetch())
      guard fetched.count > 0 else { throw NoUsableKey() }
      set = fetched
    } catch {
      log(error)
    }
    for (waiter, answer) in state.fetchFinished(set, now: milliseconds()) {
      waiters.removeValue(forKey: waiter)?.resume(returning: answer)
    }
  }
}
