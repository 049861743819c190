import ProviderKit

/// "Continue with Speed": accounts that all apps share, and the pages on which people sign in to them.
///
/// Each request is a `Turn`; what a page does is in the files of `Flows`, what it shows in those of `Pages`.
package struct SpeedWebProvider: Provider {
  /// Who gives out the subjects of `VerifiedIdentity`.
  static let issuer = "speed"

  package init() {}

  package let manifest = ProviderManifest(name: "speed-web", version: "1.0.0")

  /// Refused is what began before the person signed out everywhere: another try begins anew.
  package var refusedCredential: ProviderFailure {
    ProviderFailure(
      status: 400, code: "invalid_state", message: "This sign-in has been ended: go back to the app and try again.",
      reason: "sessions were ended meanwhile")
  }

  package func signIn(
    _ request: SignInRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> VerifiedIdentity {
    throw ProviderFailure(
      status: 404, code: "no_route", message: "Speed accounts sign in on their own pages.", reason: "no native sign-in")
  }

  package func respond(
    to request: PageRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> PageAnswer {
    let turn = Turn(request, services, now: await services.now)
    guard let path = PagePath(rawValue: request.path) else { throw .noPage }
    let isPost = request.form != nil
    return switch path {
    case .entrance: try await Entrance(turn: turn).show()
    case .signIn: try await isPost ? SignIn(turn: turn).submit() : SignIn(turn: turn).show()
    case .signUp: try await isPost ? SignUp(turn: turn).submit() : SignUp(turn: turn).show()
    case .verify: try await isPost ? Verification(turn: turn).submit() : Verification(turn: turn).show()
    case .reset: try await isPost ? Reset(turn: turn).submit() : Reset(turn: turn).show()
    case .newPassword: try await isPost ? NewPassword(turn: turn).submit() : NewPassword(turn: turn).show()
    case .consent: try await isPost ? Consent(turn: turn).submit() : Entrance(turn: turn).show()
    case .signOut: try await SignOut(turn: turn).submit()
    case .account: try await isPost ? AccountChange(turn: turn).submit() : AccountPage(turn: turn).show()
    case .passkey: try await PasskeyPage(turn: turn).show()
    }
  }
}

extension ProviderFailure {
  static let noPage = ProviderFailure(
    status: 404, code: "no_route", message: "There is no such page.", reason: "no such page")

  /// Something that the pages need is out of order.
  static func unavailable(_ failure: CallFailure) -> ProviderFailure {
    ProviderFailure(
      status: 503, code: "provider_unavailable", message: "Sign-in is not possible at present: try again in a moment.",
      reason: failure.reason, retryAfter: 5)
  }

  /// Others change the same all the time.
  static let contended = ProviderFailure.unavailable(CallFailure("too many changes at once"))
}
