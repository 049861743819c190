import GatewayBase
import GatewayConfig
import GatewayCrypto
import GatewayIdentity
import GatewayOutbound
import ProviderKit

// Sign-ins that were made elsewhere: tokens of the issuers that the app lists, and its own verifier.
extension HostServices {
  func verify(
    _ token: String, issuer: String, algorithms: [ProviderKit.SignatureAlgorithm]
  ) async throws(KeyServiceFailure) -> VerifiedToken {
    guard token.utf8.count <= Limits.identityToken else { throw .malformed }
    guard let listed = relay?.issuers.first(where: { ByteText.areSame($0.issuer.text, issuer) })?.issuer else {
      throw .unavailable(retryAfter: 60)
    }
    do throws(KeySetCache.Failure) {
      return VerifiedToken(
        try await host.issuers.verify(Array(token.utf8), of: listed, algorithms: algorithms.gatewayForm))
    } catch {
      throw KeyServiceFailure(error)
    }
  }

  /// The secret is read for each question: a new one counts at once.
  func askVerifier(_ question: [UInt8]) async throws(CallFailure) -> CallAnswer {
    guard let verifier = relay?.verifier else { throw CallFailure("there is none") }
    guard let secret = verifier.secret.resolve(environment: host.environment) else {
      throw CallFailure("its secret is missing")
    }
    var request = OutboundRequest.post(verifier.url, .json(question))
    request.fields = [
      OutboundRequest.Field(
        QuestionSignature.fieldName, QuestionSignature(of: question, at: host.clock.now, secret: secret).text)
    ]
    do throws(OutboundError) {
      let response = try await host.send(request)
      return CallAnswer(status: response.status, body: response.body)
    } catch {
      throw CallFailure(error.description)
    }
  }
}
