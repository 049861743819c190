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
  let limit: SignInLimit
  let logger: Logger

  func respond(
    to request: ServiceRequest, plugin: Plugin, directory: AppDirectory
  ) async throws(Refusal) -> ServiceResponse {
    if let refusal = limit.refusal(of: request) { return refusal }
    guard let provider = plugin.provider else { throw .providerUnavailable }
    let body = try Self.object(request.body)
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
    return .json(200, try await complete(identity, app: app, provider: provider, from: request, log))
  }

  /// Turns a proven identity into a session.
  ///
  /// - Returns: the JSON of a sign-in.
  func complete(
    _ identity: VerifiedIdentity, app: AppDirectory.App, provider: any Provider, from request: ServiceRequest,
    _ log: SignInLog
  ) async throws(Refusal) -> [UInt8] {
    let signIn = try await account(of: identity, app: app, provider: provider, from: request, log)
    if identity.followUp != nil { jobs.wake() }
    return try await session(signIn, app: app, log)
  }

  private func account(
    of identity: VerifiedIdentity, app: AppDirectory.App, provider: any Provider, from request: ServiceRequest,
    _ log: SignInLog
  ) async throws(Refusal) -> SignIn {
    do {
      return try await accounts.signIn(
        VerifiedSignIn(
          app: app.configuration.appID, issuer: identity.issuer, team: identity.team, subject: identity.subject,
          email: identity.email, emailVerified: identity.emailVerified, isPrivateEmail: identity.isPrivateEmail,
          fullName: identity.fullName,
          replayKeys: identity.replayKeys.map { GatewayIdentity.ReplayKey($0) }, provider: provider.manifest.name,
          client: identity.client, transferID: identity.transferID,
          followUp: identity.followUp,
          origin: AuditEntry.Origin(address: request.address, requestID: request.requestID)))
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

  private func session(
    _ signIn: SignIn, app: AppDirectory.App, _ log: SignInLog
  ) async throws(Refusal) -> [UInt8] {
    let account = signIn.profile.account
    do {
      let body = try await sessions.begin(
        signIn.profile, in: app.configuration, isNewAccount: signIn.isNewAccount)
      log.succeeded(user: account.id, isNew: signIn.isNewAccount)
      return body
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      log.failed(error)
      throw .internalError
    }
  }

  private static func object(_ bytes: [UInt8]) throws(Refusal) -> JSONValue {
    guard let body = try? JSONValue(parsing: bytes), body.object != nil else {
      throw .invalidRequest("The body must be a JSON object.")
    }
    return body
  }
}
