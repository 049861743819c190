import GatewayBase
import GatewayConfig
import GatewayIdentity
import GatewayProxy

/// Tickets for shells around web views: a URL of the app's own page that brings the session of the app that asks. Its
/// token ends unless it is used within a minute; from then on it is a session of its own: signing out of either ends that
/// one alone.
struct TicketAPI: Sendable {
  let sessions: SessionAPI
  let publicURL: ServiceURL

  /// - Parameter plugin: the one that has the route, and that the app must list.
  func issue(
    _ request: ServiceRequest, plugin: String, in directory: AppDirectory
  ) async throws(Refusal) -> ServiceResponse {
    if let refusal = sessions.limit.refusal(of: request) { return refusal }
    let bearer = try await sessions.bearer(of: request)
    guard let app = directory.apps[bearer.appID] else { throw .invalidToken }
    guard app.configuration.providers.contains(plugin) else { throw .providerNotEnabled }
    guard let redirect = try request.jsonObject()["redirect"]?.string else {
      throw .invalidRequest("Send redirect, a string.")
    }
    let target = try target(redirect, of: app.configuration, request)
    do {
      guard let profile = try await sessions.accounts.profile(user: bearer.userID, app: bearer.appID) else {
        throw Refusal.invalidToken
      }
      let data = try await sessions.issuer.beginInURL(profile, in: app.configuration)
      sessions.logger.info(
        "a ticket was issued", .text("user", bearer.userID), .integer("app", bearer.appID),
        .text("requestId", request.requestID))
      return .json(200, Array("{\"url\":\(JSONText.quoted(target.bringing(data)))}".utf8))
    } catch {
      throw sessions.refusal(for: error, request)
    }
  }

  /// A page on the web: a session must not travel to whatever program has a scheme.
  private func target(
    _ text: String, of app: TenantConfiguration, _ request: ServiceRequest
  ) throws(Refusal) -> RedirectTarget {
    guard let url = try? ServiceURL(text, schemes: [.https, .http]), url.isConfidential else { throw .invalidRedirect }
    do throws(RedirectTarget.Fault) {
      return try RedirectTarget(
        Self.withPath(text), of: app, loopbackPort: PageOrigin(of: request, publicURL: publicURL).loopbackPort)
    } catch {
      throw .invalidRedirect
    }
  }

  /// With the path `/` where there is none (RFC 3986 section 6.2.3).
  private static func withPath(_ text: String) -> String {
    guard let authority = text.utf8.firstIndex(of: UInt8(ascii: ":")).map({ text.utf8.index($0, offsetBy: 3) }) else {
      return text
    }
    let end = text.utf8[authority...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
    guard let end else { return text + "/" }
    return text.utf8[end] == UInt8(ascii: "/") ? text : "\(text[..<end])/\(text[end...])"
  }
}
