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
  /// judge; what is to be done there is queued with the deletion, in its transaction.
  func delete(_ request: ServiceRequest, in state: PlatformState) async throws(Refusal) -> ServiceResponse {
    let bearer = try await sessions.bearer(of: request)
    guard let app = state.directory.apps[bearer.appID] else { throw .invalidToken }
    let hasBody = try Self.hasMembers(request.body)
    do {
      let work = hasBody ? try await prepare(request, user: bearer.userID, app: app, in: state) : []
      let origin = AuditEntry.Origin(address: request.address, requestID: request.requestID)
      let isDeleted = try await accounts.delete(
        user: bearer.userID, app: bearer.appID, work: work, by: .user, from: origin)
      jobs.wake()
      guard isDeleted else { throw Refusal.invalidToken }
    } catch {
      throw sessions.refusal(for: error, request)
    }
    logger.info(
      "an account was deleted", .text("user", bearer.userID), .integer("app", bearer.appID),
      .text("requestId", request.requestID))
    return .json(200, Array("{\"deleted\":true}".utf8))
  }

  /// Whether there is a body for providers to judge.
  private static func hasMembers(_ body: [UInt8]) throws(Refusal) -> Bool {
    guard !body.isEmpty else { return false }
    guard let members = (try? JSONValue(parsing: body))?.object else {
      throw .invalidRequest("The body must be a JSON object.")
    }
    return !members.isEmpty
  }

  /// What the providers of the account make of the body.
  private func prepare(
    _ request: ServiceRequest, user: String, app: AppDirectory.App, in state: PlatformState
  ) async throws -> [ProviderJob.Draft] {
    var work: [ProviderJob.Draft] = []
    for identity in try await accounts.identities(user: user, app: app.configuration.appID) {
      guard let plugin = identity.provider.flatMap({ state.plugins.plugin(named: $0) }), let provider = plugin.provider
      else { continue }
      let deletion = DeletionRequest(
        app: state.directory.description(of: app), subject: identity.subject, client: identity.client,
        body: request.body, requestID: request.requestID)
      do throws(ProviderFailure) {
        work += try await provider.prepareDeletion(deletion, using: host.services(for: plugin, app: app))
          .compactMap { ProviderJob.Draft($0, provider: plugin.name) }
      } catch {
        logger.info(
          "a deletion was refused", .text("code", error.code), .text("reason", error.reason),
          .text("requestId", request.requestID))
        throw Refusal(error)
      }
    }
    return work
  }
}

extension ProviderJob.Draft {
  /// A provider's task as queued work; nil for one that the gateway asks by itself.
  fileprivate init?(_ task: ProviderTask, provider: String) {
    switch task {
    case .followUp(let bytes): self.init(.followUp, provider: provider, secret: bytes)
    case .release(let grant): self.init(.release, provider: provider, client: grant.client, secret: grant.secret)
    case .check: return nil
    }
  }
}
