import GatewayBase
import GatewayCrypto
import GatewayIdentity
import ProviderKit

/// What the gateway does for a provider: signatures against cached key sets, digests, the time, its settings.
struct HostServices: ProviderServices {
  let settings: [String: String]
  let keySets: KeySets
  let clock: any WallClock

  var now: Int64 { clock.now.milliseconds }

  func sha256(_ bytes: [UInt8]) async -> [UInt8] { Digest.sha256(bytes) }

  func verify(
    _ token: String, keySetURL: String, algorithms: [ProviderKit.SignatureAlgorithm]
  ) async throws(KeyServiceFailure) -> VerifiedToken {
    guard token.utf8.count <= Limits.identityToken else { throw .malformed }
    guard let url = try? ServiceURL(keySetURL), url.isConfidential else { throw .unavailable(retryAfter: 60) }
    let allowed = Set(algorithms.map(\.gatewayForm))
    do throws(KeySetCache.Failure) {
      let signed = try await keySets.verify(Array(token.utf8), keysAt: url, algorithms: allowed)
      return VerifiedToken(
        keyID: signed.kid ?? "", algorithm: signed.algorithm == "ES256" ? .es256 : .rs256,
        payload: signed.payload)
    } catch {
      switch error {
      case .malformed: throw .malformed
      case .algorithmNotAllowed: throw .unacceptableAlgorithm
      case .unknownKey: throw .unknownKey
      case .badSignature: throw .badSignature
      case .unavailable(let seconds): throw .unavailable(retryAfter: seconds)
      }
    }
  }
}

extension ProviderKit.SignatureAlgorithm {
  fileprivate var gatewayForm: GatewayCrypto.SignatureAlgorithm {
    switch self {
    case .rs256: .rs256
    case .es256: .es256
    }
  }
}
