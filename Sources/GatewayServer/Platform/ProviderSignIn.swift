import GatewayBase
import GatewayConfig
import GatewayCrypto
import GatewayIdentity
import GatewayPlugins
import GatewayProxy
import ProviderKit

/// A sign-in through a plugin: the app is found, the plugin proves who it is, the core makes the account and the token.
struct ProviderSignIn: Sendable {
  let accounts: Accounts
  let tokens: AccessTokenIssuer
  let host: ProviderHost
  let revocations: RevocationSet
  let clock: any WallClock
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
    let signIn = try await account(of: identity, app: app, provider: provider, from: request, log)
    if identity.followUp != nil { jobs.wake() }
    return try await response(signIn, app: app, log)
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
          replayKeys: identity.replayKeys.map {
            // Digested again: the ledger's keys have one length, whatever a plugin returns.
            GatewayIdentity.ReplayKey(digest: Digest.sha256($0.digest), expiresAt: UnixTime(milliseconds: $0.expiresAt))
          }, provider: provider.manifest.name, client: identity.client, followUp: identity.followUp,
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

  private func response(
    _ signIn: SignIn, app: AppDirectory.App, _ log: SignInLog
  ) async throws(Refusal) -> ServiceResponse {
    let account = signIn.profile.account
    await waitOut(account.id, app: app.configuration.appID)
    do {
      let issued = try tokens.issue(
        userID: account.id, appID: app.configuration.appID, role: Profile.role, isLocal: account.isLocal,
        uuid: signIn.profile.appUserUUID, lifetime: app.configuration.sessions.lifetime.seconds)
      log.succeeded(user: account.id, isNew: signIn.isNewAccount)
      return .json(
        200,
        signIn.profile.signInBody(
          token: issued.text, expiresAt: issued.token.expiresAt, isNewAccount: signIn.isNewAccount))
    } catch {
      log.failed(error)
      throw .internalError
    }
  }

  /// Issue times are whole seconds: in the second in which all of a user's tokens were ended a new one would be taken
  /// for one of them, so it waits for the next.
  private func waitOut(_ user: String, app: Int64) async {
    let now = clock.now
    guard revocations.isRevoked(jti: "", user: user, app: app, issuedAt: now) else { return }
    try? await Task.sleep(nanoseconds: UInt64(1000 - now.milliseconds % 1000) * 1_000_000)
  }

  private static func object(_ bytes: [UInt8]) throws(Refusal) -> JSONValue {
    guard let body = try? JSONValue(parsing: bytes), body.object != nil else {
      throw .invalidRequest("The body must be a JSON object.")
    }
    return body
  }
}
