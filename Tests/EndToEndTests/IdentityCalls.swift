import GatewayTesting
import Testing

/// Sign-ins to `App.alpha` with tokens that differ from a good one in some way.
extension Stage {
  func alphaRequest(
    claims: [String: JSON] = [:], omitted: [String] = [], header: [String: JSON] = [:], key: String? = nil
  ) -> TokenRequest {
    TokenRequest(audience: App.alpha.bundleID, claims: claims, omitted: omitted, header: header, key: key)
  }

  func signIn(_ request: TokenRequest, _ extra: [String: JSON] = [:]) throws -> HTTPAnswer {
    try gateway.signIn(app: App.alpha.id, try sandbox.token(request), extra)
  }

  /// The token must be refused as a bad one.
  func expectRefused(
    _ request: TokenRequest, _ extra: [String: JSON] = [:], location: SourceLocation = #_sourceLocation
  ) throws {
    let answer = try signIn(request, extra)
    #expect(answer.status == 401, sourceLocation: location)
    #expect(answer.errorCode == "invalid_identity_token", sourceLocation: location)
  }
}
