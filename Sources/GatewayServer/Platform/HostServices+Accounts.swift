import GatewayIdentity
import ProviderKit

// The accounts that all apps share.
extension HostServices {
  func keep(_ identity: VerifiedIdentity) async throws(CallFailure) {
    guard identity.isShared else { throw CallFailure("the identity is not of a shared account") }
    try await using { means in
      try await means.accounts.keep(
        SharedIdentity(
          issuer: identity.issuer, subject: identity.subject, name: identity.fullName, email: identity.email,
          emailVerified: identity.emailVerified, photo: identity.photo))
    }
  }

  func isRegistered(_ subject: String, issuer: String) async throws(CallFailure) -> Bool {
    guard let app else { throw CallFailure("the call is about no app") }
    return try await using { means in
      try await means.accounts.isRegistered(subject: subject, issuer: issuer, app: app)
    }
  }

  func endSessions(of subject: String, issuer: String) async throws(CallFailure) {
    try await using { means in try await means.accounts.endSessions(subject: subject, issuer: issuer) }
  }
}
