import FoundationEssentials
import ProviderKit

// Sign in with Apple in a browser, by the app's Services ID.
extension AppleNativeProvider {
  func beginWebSignIn(
    _ request: WebSignInRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> WebStep {
    guard let client = request.app.servicesID else { throw .webNotConfigured }
    try request.app.requireAlone(client)
    if request.wantsPage { return ApplePage.step(request, client: client) }
    // Asking for a name or an address makes Apple answer by a form, whose fields no log of a server shows.
    let query = [
      ("client_id", client), ("redirect_uri", request.callbackURL), ("response_type", "code id_token"),
      ("response_mode", "form_post"), ("scope", "name email"), ("state", request.state), ("nonce", request.nonce),
    ].map { "\($0)=\(ByteText.percentEncoded($1))" }
    return .redirect(AppleSettings(await services.settings).authorizeURL + "?" + query.joined(separator: "&"))
  }

  /// Checks what a native sign-in has checked, but for the audience, which is the Services ID, and the nonce, which is
  /// the gateway's own.
  func finishWebSignIn(
    _ callback: WebCallback, using services: any ProviderServices
  ) async throws(ProviderFailure) -> WebOutcome {
    guard let client = callback.app.servicesID else { throw .webNotConfigured }
    // `user_cancelled_authorize` is how Apple says that the user did not want to.
    if callback.fields["error"] != nil { return .declined }
    guard let token = callback.fields["id_token"] else { throw .invalidToken("no identity token") }
    let settings = AppleSettings(await services.settings)
    let claims = try await verifiedClaims(of: token, settings, using: services)
    let expiresAt = try claims.checkIssuerAndTimes(issuer: settings.issuer, now: await services.now)
    try claims.checkAudience(isServicesID: client)
    try callback.app.requireAlone(client)
    try claims.checkNonce(is: callback.nonce)
    let subject = try claims.checkSubject()
    let code = callback.fields["code"]
    try await claims.checkCode(code, using: services)
    return .identity(
      identity(
        claims, subject, of: callback.app, fullName: callback.fields["user"].flatMap(WebUser.name),
        replayKeys: await replayKeys(
          token: token, nonce: callback.nonce, appID: callback.app.appID, expiresAt: expiresAt, using: services),
        followUp: await followUp(
          code, claims, subject, of: callback.app, redirectURI: callback.callbackURL, using: services)))
  }
}

/// What comes beside the token on the first authorization. Nobody has signed it, so that it is good for a name and
/// nothing else: an address from it would let anyone in as anyone.
private struct WebUser: Decodable {
  struct Name: Decodable {
    let firstName: String?
    let lastName: String?
  }

  let name: Name?

  static func name(_ text: String) -> String? {
    guard let user = try? JSONDecoder().decode(WebUser.self, from: Data(text.utf8)), let name = user.name else {
      return nil
    }
    let parts = [name.firstName, name.lastName].compactMap { $0 }.filter { !$0.isEmpty }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}
