import GatewayBase
import GatewayConfig
import GatewayIdentity
import GatewayPlugins
import GatewayProxy
import ProviderKit

/// The end of an account at its user's own wish.
struct DeletionAPI: Sendable {
  let sessions: SessionAPI
  let accounts: Accounts
  let host: ProviderHost
  let jobs: ProviderJobRunner
  let logger: Logger

  /// Deletes the account of the bearer. Nothing is awaited from a provider unless the body holds something for one to
  /// judge; the release of its grants is queued with the deletion, in its transaction.
  func delete(_ request: ServiceRequest, in state: PlatformState) async throws(Refusal) -> ServiceResponse {
    let bearer = try await sessions.bearer(of: request)
    guard let app = state.directory.apps[bearer.appID] else { throw .invalidToken }
    let hasBody = request.body.isEmpty ? false : try request.jsonObject().object?.isEmpty == false
    do {
      if hasBody { try await prepare(request, user: bearer.userID, app: app, in: state) }
      let origin = request.auditOrigin
      guard try await accounts.delete(user: bearer.userID, app: bearer.appID, by: .user, from: origin)
      else { throw Refusal.invalidToken }
    } catch {
      throw sessions.refusal(for: error, request)
    }
    jobs.wake()
    logger.info(
      "an account was deleted", .text("user", bearer.userID), .integer("app", bearer.appID),
      .text("requestId", request.requestID))
    return .json(200, Array("{\"deleted\":true}".utf8))
  }

  /// Has the providers of the account act on what the body holds for them. It is kept before it is used: a grant that a
  /// code brings is the account's own until the deletion releases it, also where there is no deletion in the end.
  private func prepare(
    _ request: ServiceRequest, user: String, app: AppDirectory.App, in state: PlatformState
  ) async throws {
    for identity in try await accounts.identities(user: user, app: app.configuration.appID) {
      guard let plugin = identity.provider.flatMap({ state.plugins.plugin(named: $0) }), let provider = plugin.provider
      else { continue }
      let deletion = DeletionRequest(
        app: state.directory.description(of: app), subject: identity.subject, client: identity.client,
        body: request.body, requestID: request.requestID)
      let left: [UInt8]?
      do throws(ProviderFailure) {
        left = try await provider.prepareDeletion(deletion, using: host.services(for: plugin, app: app))
      } catch {
        throw refusal(error, request)
      }
      guard let followUp = left else { continue }
      let draft = ProviderJob.Draft(.followUp, provider: plugin.name, secret: followUp)
      guard let job = try await jobs.jobs.begin(draft, user: user, app: app.configuration.appID) else { continue }
      if case .refused(let failure)? = await jobs.attempt(job) { throw refusal(failure, request) }
    }
  }

  private func refusal(_ failure: ProviderFailure, _ request: ServiceRequest) -> Refusal {
    logger.info(
      "a deletion was refused", .text("code", failure.code), .text("reason", failure.reason),
      .text("requestId", request.requestID))
    return Refusal(failure)
  }
}
