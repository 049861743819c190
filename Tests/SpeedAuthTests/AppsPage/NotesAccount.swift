import Foundation
import SpeedAuth

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The app's side of the platform, as one place of the app.
struct NotesAccount: Sendable {
  let client: SpeedAuthClient

  /// What a screen shows after a sign-in.
  enum Next: Sendable, Hashable {
    case app
    /// Offer to sign in to the Speed account that the user may already have.
    case offerToLink(Keep?)
    /// Both accounts have data: ask which one survives, then call `link` with the answer.
    case ask(SpeedToken)
    /// The user's id is another one: delete what is stored under the old one.
    case appAs(oldUser: String)
  }

  // Sign in with Apple: the credential is what `AppleSheet` brings.
  func signIn(_ credential: AppleCredential) async throws(SpeedAuthError) -> Next {
    next(try await client.signIn(credential))
  }

  // Continue with Speed: `browse` opens the page and returns where it ends, as `WebSheet` does.
  func continueWithSpeed(_ browse: (SignInVisit) async throws -> URL) async throws -> Next {
    let visit = try client.signInVisit()
    return next(try await client.signIn(visit, endedAt: try await browse(visit)))
  }

  // A sign-in that was made elsewhere: the token is the issuer's, such as Firebase's ID token.
  func signIn(elsewhere token: String) async throws(SpeedAuthError) -> Next {
    next(try await client.signIn(RelayCredential(subjectToken: token)))
  }

  private func next(_ signIn: SignIn) -> Next {
    switch signIn.offer {
    case .beforeTheApp: .offerToLink(.speed)
    case .atEverySignIn: .offerToLink(nil)
    case .inSettings, .none: .app
    }
  }

  // Linking, from either offer or from the settings, where `session.isLocalUser`.
  func link(keep: Keep?, _ browse: (LinkVisit) async throws -> URL) async throws -> Next {
    let visit = try client.linkVisit()
    return try await link(try await client.speedToken(visit, endedAt: try await browse(visit)), keep: keep)
  }

  func link(_ token: SpeedToken, keep: Keep?) async throws(SpeedAuthError) -> Next {
    do {
      let linked = try await client.link(token, keep: keep)
      return linked.previousUserID.map { .appAs(oldUser: $0) } ?? .app
    } catch .dataConflict(let token) {
      return .ask(token)
    }
  }

  // The app's own requests. A token that is over is renewed where the app has that; else the session has ended.
  func notes() async throws(SpeedAuthError) -> Data {
    try await client.data(for: URLRequest(url: Self.domain.appending(path: "v1/notes"))).0
  }

  static let domain = URL(string: "https://notes.example.com") ?? URL(filePath: "/")
}
