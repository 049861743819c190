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
    let attempt = SignInAttempt(app: app, plugin: plugin, request: request, logger: logger)
    let identity: VerifiedIdentity
    do throws(ProviderFailure) {
      identity = try await provider.signIn(
        SignInRequest(
          app: directory.description(of: app), route: request.path, body: request.body, requestID: request.requestID),
        using: host.services(for: plugin, app: app))
    } catch {
      attempt.log.refused(error)
      throw Refusal(error)
    }
    let signIn = try await account(of: identity, in: attempt)
    return .json(
      200,
      try await answering(attempt) {
        try await session(signIn.profile, app: app, isNewAccount: signIn.isNewAccount, attempt.log)
      })
  }

  /// The account of a proven identity in the app, which has it from now on.
  func account(
    of identity: VerifiedIdentity, in attempt: SignInAttempt
  ) async throws(Refusal) -> SignIn {
    let signIn = try await answering(attempt) { try await accounts.signIn(attempt.verified(identity)) }
    if identity.followUp != nil { jobs.wake() }
    return signIn
  }

  /// Runs what the core does with an identity, and turns its failures into answers.
  func answering<Result>(
    _ attempt: SignInAttempt, _ work: () async throws -> Result
  ) async throws(Refusal) -> Result {
    do {
      return try await work()
    } catch let failure as SignInFailure {
      let answer = try attempt.provider.refusedCredential
      attempt.log.refused(failure, as: answer)
      throw Refusal(answer)
    } catch {
      throw attempt.log.refusal(for: error)
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
