import Foundation

// Linking the app's own account with the Speed account of the same person.
extension SpeedAuthClient {
  /// A visit to the platform's page for linking. Open its `url` in `ASWebAuthenticationSession`, and give where it ends
  /// to `speedToken(_:endedAt:)`.
  public nonisolated func linkVisit(bringsCode: Bool = true) throws(SpeedAuthError) -> LinkVisit {
    LinkVisit(
      visit: try WebVisit(configuration, path: "speed-link", isLinking: true, bringsCode: bringsCode))
  }

  /// The proof of a Speed account that the platform's page brought. The session stays as it is.
  ///
  /// - Throws: `declined` where the user said no.
  public func speedToken(_ visit: LinkVisit, endedAt callback: URL) async throws(SpeedAuthError) -> SpeedToken {
    SpeedToken(try await answer(of: visit.visit, endedAt: callback).token)
  }

  /// Links the signed-in account with a Speed account.
  ///
  /// - Parameter keep: which data survives; nil for whichever there is.
  /// - Returns: the session from now on. With `keep: .speed` it is another user's: delete the rows under
  ///   `previousUserID`, and use the new `appUserUUID`.
  /// - Throws: `dataConflict` where `keep` is nil and both have data: nothing has changed, and the token is still good.
  public func link(_ token: SpeedToken, keep: Keep? = nil) async throws(SpeedAuthError) -> SignIn {
    let body = LinkBody(speedToken: token.text, keep: keep?.rawValue)
    let (old, answer): (Session, SignInAnswer)
    do {
      (old, answer) = try await withSession { (session) async throws(SpeedAuthError) in
        (session, try await platform.send("POST", "link", token: session.token, body: body))
      }
    } catch {
      throw error.code == .appDataConflict ? .dataConflict(token) : error
    }
    await settle()
    // Same token, same session: its refresh token stays, and a renewal that came between counts.
    let current = try record().session ?? old
    var session = answer.session(by: old.method)
    if answer.token == old.token.text {
      (session.token, session.expiresAt, session.refreshToken) = (
        current.token, current.expiresAt, current.refreshToken
      )
    }
    let next = session
    try change(telling: .changed(next)) { $0.session = next }
    return try signIn(answer, next)
  }

  /// Takes the Speed account off an account that kept its own data.
  ///
  /// - Throws: a refusal with `not_linked` where there is none.
  public func unlink() async throws(SpeedAuthError) -> Session {
    let answer: ProfileAnswer = try await withSession { (session) async throws(SpeedAuthError) in
      try await platform.send("DELETE", "me/speed-link", token: session.token)
    }
    return try keep(answer)
  }

  /// Remembers that the signed-in user wants no more offers to link, but in the settings.
  public func declineLinking() throws(SpeedAuthError) {
    guard let id = try record().session?.user.id else { return }
    try change { record in
      record.declined.removeAll { $0 == id }
      record.declined.append(id)
      // As many people as may share a device.
      record.declined.removeFirst(max(0, record.declined.count - 64))
    }
  }

  /// Takes over what the platform says of the signed-in user.
  func keep(_ answer: ProfileAnswer) throws(SpeedAuthError) -> Session {
    guard let old = try record().session else { throw .sessionEnded(try record().method) }
    guard old.user.id == answer.user.id else { return old }
    var session = old
    (session.user, session.role, session.isLocalUser) = (answer.user, answer.role, answer.isLocalUser)
    session.appUserUUID = answer.appUserUUID
    let next = session
    try change(telling: next == old ? nil : .changed(next)) { $0.session = next }
    return next
  }
}
