import GatewayBase
import GatewayConfig
import GatewayCrypto
import GatewayIdentity
import GatewayOutbound
import ProviderKit

/// What the gateway does for a provider in the name of one app, or of none: signatures against cached key sets and with
/// the app's own key, calls, digests, random bytes, the time, its settings.
struct HostServices: ProviderServices {
  /// The plugin's name.
  let provider: String
  let settings: [String: String]
  let host: ProviderHost
  /// Whom the call is about; nil for none.
  let app: Int64?
  let signInKey: SignInKey?
  /// Where the app's users may have signed in before.
  var relay: RelayConfiguration?

  var now: Int64 { host.clock.now.milliseconds }

  func sha256(_ bytes: [UInt8]) async -> [UInt8] { Digest.sha256(bytes) }

  func verify(
    _ token: String, keySetURL: String, algorithms: [ProviderKit.SignatureAlgorithm]
  ) async throws(KeyServiceFailure) -> VerifiedToken {
    guard token.utf8.count <= Limits.identityToken else { throw .malformed }
    guard let url = try? ServiceURL(keySetURL), url.isConfidential else { throw .unavailable(retryAfter: 60) }
    do throws(KeySetCache.Failure) {
      return VerifiedToken(
        try await host.keySets.verify(Array(token.utf8), keysAt: url, algorithms: algorithms.gatewayForm))
    } catch {
      throw KeyServiceFailure(error)
    }
  }

  func random(_ count: Int) async -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return generator.bytes(min(max(0, count), Limits.randomBytes))
  }

  /// The key is read for each signature: a new file or none at all counts at once, and signatures are few.
  func sign(_ claims: [UInt8]) async throws(CallFailure) -> String {
    guard let signInKey else { throw CallFailure("no sign-in key") }
    do {
      guard let key = try signInKey.load(environment: host.environment) else {
        throw CallFailure("the sign-in key is missing")
      }
      return try JWT.sign(claims: claims, kid: signInKey.id, key: key)
    } catch {
      throw error as? CallFailure ?? CallFailure("the sign-in key can't be used")
    }
  }

  func post(_ form: FormPost) async throws(CallFailure) -> CallAnswer {
    guard let url = try? ServiceURL(form.url) else { throw CallFailure("no valid URL") }
    if let bearer = form.bearer, bearer.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
      throw CallFailure("no valid bearer")
    }
    var request = OutboundRequest.post(url, .form(form.fields.map { OutboundRequest.Field($0.name, $0.value) }))
    request.bearer = form.bearer.map { Secret($0.utf8) }
    do throws(OutboundError) {
      let response = try await host.send(request)
      return CallAnswer(status: response.status, body: response.body)
    } catch {
      throw CallFailure(error.description)
    }
  }
}

extension [ProviderKit.SignatureAlgorithm] {
  var gatewayForm: Set<GatewayCrypto.SignatureAlgorithm> {
    Set(
      map { algorithm in
        switch algorithm {
        case .rs256: .rs256
        case .es256: .es256
        }
      })
  }
}

extension VerifiedToken {
  /// What a provider hears of a token whose signature is good.
  init(_ signed: CompactJWS) {
    self.init(
      keyID: signed.kid ?? "", type: signed.type, algorithm: signed.algorithm == "ES256" ? .es256 : .rs256,
      payload: signed.payload)
  }
}

extension KeyServiceFailure {
  init(_ failure: KeySetCache.Failure) {
    self =
      switch failure {
      case .malformed: .malformed
      case .algorithmNotAllowed: .unacceptableAlgorithm
      case .unknownKey: .unknownKey
      case .badSignature: .badSignature
      case .unavailable(let seconds): .unavailable(retryAfter: seconds)
      }
  }
}
