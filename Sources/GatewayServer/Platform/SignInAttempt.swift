import GatewayBase
import GatewayIdentity
import GatewayPlugins
import GatewayProxy
import ProviderKit

/// A sign-in under way: to which app, through which provider, for which request.
struct SignInAttempt: Sendable {
  let app: AppDirectory.App
  let plugin: Plugin
  let request: ServiceRequest
  /// As in `VerifiedSignIn`.
  var begunAt: UnixTime?
  let logger: Logger

  var log: SignInLog {
    SignInLog(logger: logger, provider: plugin.name, app: app.configuration.appID, request: request.requestID)
  }

  /// - Throws: `provider_unavailable` where it is not loaded.
  var provider: any Provider {
    get throws(Refusal) {
      guard let provider = plugin.provider else { throw .providerUnavailable }
      return provider
    }
  }

  /// What the core hears of the identity that the provider has proven.
  func verified(_ identity: VerifiedIdentity) -> VerifiedSignIn {
    VerifiedSignIn(
      app: app.configuration.appID, issuer: identity.issuer, team: identity.team, subject: identity.subject,
      email: identity.email, emailVerified: identity.emailVerified, isPrivateEmail: identity.isPrivateEmail,
      fullName: identity.fullName, replayKeys: identity.replayKeys.map { GatewayIdentity.ReplayKey($0) },
      provider: plugin.name, client: identity.client, transferID: identity.transferID,
      followUp: identity.followUp, isShared: identity.isShared, photo: identity.photo,
      begunAt: begunAt, origin: request.auditOrigin)
  }
}
