import GatewayBase
import GatewayConfig
import GatewayIdentity
import GatewayPlugins
import GatewayProxy
import ProviderKit

/// A sign-in through a plugin: the app is found, the plugin proves who it is, the core makes the account and the token.
struct ProviderSignIn: Sendable {
  let accounts: Accounts
  let sessions: SessionIssuer
  let host: ProviderHost
  /// Told when a sign-in left something to do.
  let jobs: ProviderJobRunner
  /// Codes that stand for answers.
  let codes: SignInCodes
  let limit: SignInLimit
  let logger: Logger

  func respond(
    to request: ServiceRequest, plugin: Plugin, directory: AppDirectory
  ) async throws(Refusal) -> ServiceResponse {
    if let refusal = limit.refusal(of: request) { return refusal }
    guard let provider = plugin.provider else { throw .providerUnavailable }
    let body = try request.jsonObject()
    let app = try SignInTarget.app(named: body, in: directory)
    guard app.configuration.providers.contains(plugin.name) else { throw .providerNotEnabled }
    let log = SignInLog(logger: logger, provider: plugin.name, app: app.configuration.appID, request: request.requestID)
    let identity: VerifiedIdentity
    do throws(ProviderFailure) {
      identity = try await provider.signIn(
        SignInRequest(
          app: directory.description(of: app), route: request.path, body: request.body, requestID: request.requestID),
        using: host.services(for: plugin, app: app))
    } catch {
      log.refused(error)
      throw Refusal(error)
    }
    let signIn = try await account(of: identity, app: app, provider: provider, from: request, log)
    return .json(
      200,
      try await answering(provider, log) {
        try await session(signIn.profile, app: app, isNewAccount: signIn.isNewAccount, log)
      })
  }

  /// The account of a proven identity in the app, which has it from now on.
  func account(
    of identity: VerifiedIdentity, app: AppDirectory.App, provider: any Provider, begunAt: UnixTime? = nil,
    from request: ServiceRequest, _ log: SignInLog
  ) async throws(Refusal) -> SignIn {
    let signIn = try await answering(provider, log) {
      try await accounts.signIn(verified(identity, app: app, provider: provider, begunAt: begunAt, from: request))
    }
    if identity.followUp != nil { jobs.wake() }
    return signIn
  }

  /// What the core hears of a proven identity.
  func verified(
    _ identity: VerifiedIdentity, app: AppDirectory.App, provider: any Provider, begunAt: UnixTime?,
    from request: ServiceRequest
  ) -> VerifiedSignIn {
    VerifiedSignIn(
      app: app.configuration.appID, issuer: identity.issuer, team: identity.team, subject: identity.subject,
      email: identity.email, emailVerified: identity.emailVerified, isPrivateEmail: identity.isPrivateEmail,
      fullName: identity.fullName, replayKeys: identity.replayKeys.map { GatewayIdentity.ReplayKey($0) },
      provider: provider.manifest.name, client: identity.client, transferID: identity.transferID,
      followUp: identity.followUp, isShared: identity.isShared, photo: identity.photo,
      begunAt: begunAt, origin: request.auditOrigin)
  }

  /// Runs what the core does with an identity, and turns its failures into answers.
  func answering<Result>(
    _ provider: any Provider, _ log: SignInLog, _ work: () async throws -> Result
  ) async throws(Refusal) -> Result {
    do {
      return try await work()
    } catch let failure as SignInFailure {
      log.refused(failure)
      throw Refusal(provider.refusedCredential)
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      log.failed(error)
      throw .internalError
    }
  }

  /// The JSON of a sign-in, with its tokens.
  ///
  /// - Throws: as `SessionIssuer.begin` does.
  func session(
    _ profile: Profile, app: AppDirectory.App, isNewAccount: Bool, begunAt: UnixTime? = nil, _ log: SignInLog
  ) async throws -> [UInt8] {
    let body = try await sessions.begin(profile, in: app.configuration, isNewAccount: isNewAccount, begunAt: begunAt)
    log.succeeded(user: profile.account.id, isNew: isNewAccount)
    return body
  }
}
