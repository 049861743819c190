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
  let keySets: KeySets
  let configuration: GatewayConfiguration
  let clock: any WallClock
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
    let services = HostServices(
      settings: plugin.settings.map(configuration.pluginSettings) ?? [:], keySets: keySets, clock: clock)
    let log = SignInLog(logger: logger, provider: plugin.name, app: app.configuration.appID, request: request.requestID)
    let identity: VerifiedIdentity
    do throws(ProviderFailure) {
      identity = try await provider.signIn(
        SignInRequest(
          app: directory.description(of: app), route: request.path, body: request.body, requestID: request.requestID),
        using: services)
    } catch {
      log.refused(error)
      throw Refusal(error)
    }
    let signIn = try await account(of: identity, app: app, provider: provider, log)
    return try response(signIn, app: app, log)
  }

  private func account(
    of identity: VerifiedIdentity, app: AppDirectory.App, provider: any Provider, _ log: SignInLog
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
          }))
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
  ) throws(Refusal) -> ServiceResponse {
    let account = signIn.profile.account
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

  private static func object(_ bytes: [UInt8]) throws(Refusal) -> JSONValue {
    guard let body = try? JSONValue(parsing: bytes), body.object != nil else {
      throw .invalidRequest("The body must be a JSON object.")
    }
    return body
  }
}

extension Refusal {
  /// A provider's refusal, kept within what a client may be told: 4xx, or 503.
  fileprivate init(_ failure: ProviderFailure) {
    let status = (400..<500).contains(failure.status) || failure.status == 503 ? UInt16(failure.status) : 503
    self.init(status, failure.code, failure.message)
    retryAfter = failure.retryAfter ?? (status == 503 ? 5 : nil)
  }
}
