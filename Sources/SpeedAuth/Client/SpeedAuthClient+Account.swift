import Foundation

// The signed-in user's account.
extension SpeedAuthClient {
  /// The signed-in user as the platform knows them now, with the balance.
  public func me() async throws(SpeedAuthError) -> Profile {
    let answer: ProfileAnswer = try await withSession { (session) async throws(SpeedAuthError) in
      try await platform.send("GET", "me", token: session.token)
    }
    _ = try keep(answer)
    return answer.profile
  }

  /// Signs out. Here the session ends at once, whatever becomes of the call.
  ///
  /// - Throws: where the platform could not be told: there the token lasts as long as it says.
  public func signOut() async throws(SpeedAuthError) {
    await settle()
    guard let session = try record().session else { return }
    try end(session.token, .signedOut)
    do {
      let _: PlatformCalls.Nothing = try await platform.send("POST", "sign-out", token: session.token)
    } catch {
      // It had ended already.
      guard error.code == .invalidToken else { throw error }
    }
  }

  /// Deletes the user's account in this app. The app's own rows go first, by its backend.
  ///
  /// - Parameter authorizationCode: a fresh one of Apple's, by which Apple's tokens are revoked too.
  /// - Throws: a refusal with `apple_account_mismatch` where the code is of another Apple account: nothing is deleted.
  public func deleteAccount(authorizationCode: String? = nil) async throws(SpeedAuthError) {
    let token = try await withSession { (session) async throws(SpeedAuthError) in
      if let authorizationCode {
        let body = DeletionBody(authorizationCode: authorizationCode)
        let _: PlatformCalls.Nothing = try await platform.send("DELETE", "me", token: session.token, body: body)
      } else {
        let _: PlatformCalls.Nothing = try await platform.send("DELETE", "me", token: session.token)
      }
      return session.token
    }
    await settle()
    try end(token, .deleted)
  }

  /// A URL that signs a WebView of the app in.
  ///
  /// - Parameter page: what to open, on one of the app's own origins.
  public func ticket(for page: URL) async throws(SpeedAuthError) -> Ticket {
    guard configuration.isOwn(page) else { throw .foreignOrigin }
    let answer: TicketAnswer = try await withSession { (session) async throws(SpeedAuthError) in
      try await platform.send(
        "POST", "relay/ticket", token: session.token, body: TicketBody(redirect: page.absoluteString))
    }
    guard configuration.isOwn(answer.url) else { throw .foreignOrigin }
    return Ticket(url: answer.url)
  }
}
