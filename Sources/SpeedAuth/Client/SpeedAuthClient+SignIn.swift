import Foundation

// The ways to sign in.
extension SpeedAuthClient {
  /// Signs in with what Apple's sheet brought.
  ///
  /// Apple tells the name once, ever. It is kept until a sign-in has brought it to the platform, so that an app that is
  /// closed halfway, or has no network, does not lose it.
  public func signIn(_ credential: AppleCredential) async throws(SpeedAuthError) -> SignIn {
    if let name = credential.fullName, !name.isEmpty {
      try change { $0.pendingName = SessionRecord.PendingName(user: credential.user, name: name) }
    }
    let pending = try record().pendingName
    let body = AppleBody(
      app: NamedApp(configuration.app), identityToken: credential.identityToken, rawNonce: credential.nonce.raw,
      fullName: pending?.user == credential.user ? pending?.name : nil,
      authorizationCode: credential.authorizationCode)
    let answer: SignInAnswer = try await platform.send("POST", "apple-native", body: body)
    await settle()
    return try begin(answer, by: .apple)
  }

  /// Signs in with a token of an issuer that the app lists, or one that the app's own verifier understands.
  public func signIn(_ credential: RelayCredential) async throws(SpeedAuthError) -> SignIn {
    let body = RelayBody(app: NamedApp(configuration.app), credential: credential)
    let answer: SignInAnswer = try await platform.send("POST", "relay", body: body)
    await settle()
    return try begin(answer, by: .relay)
  }

  /// A visit to the platform's page to continue with Speed. Open its `url` in `ASWebAuthenticationSession`, and give
  /// where it ends to `signIn(_:endedAt:)`.
  ///
  /// - Parameter bringsCode: whether the page brings a code that this client alone can use (PKCE, RFC 7636). Without it
  ///   the token itself is in the URL that comes back.
  public nonisolated func signInVisit(bringsCode: Bool = true) throws(SpeedAuthError) -> SignInVisit {
    SignInVisit(
      visit: try WebVisit(configuration, path: "speed-auth", isLinking: false, bringsCode: bringsCode))
  }

  /// Signs in with what the platform's page brought.
  ///
  /// - Throws: `declined` where the user said no.
  public func signIn(_ visit: SignInVisit, endedAt callback: URL) async throws(SpeedAuthError) -> SignIn {
    let answer = try await answer(of: visit.visit, endedAt: callback)
    await settle()
    return try begin(answer, by: .speed)
  }

  /// The answer that a page brought, itself or by a code.
  func answer(of visit: WebVisit, endedAt callback: URL) async throws(SpeedAuthError) -> SignInAnswer {
    switch try visit.arrival(at: callback) {
    case .answer(let answer): return answer
    case .code(let code, let verifier):
      return try await platform.send("POST", "exchange", body: ExchangeBody(code: code, codeVerifier: verifier))
    }
  }
}
