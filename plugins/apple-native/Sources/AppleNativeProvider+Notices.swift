import ProviderKit

// What Apple tells about users, from server to server.
extension AppleNativeProvider {
  /// Milliseconds after which a notice without an end of its own is forgotten; Apple gives them a day.
  private static let noticeLifetime: Int64 = 7 * 86_400_000

  func readNotice(
    _ request: NoticeRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> ProviderNotice {
    let app = request.app
    guard !app.bundleIDs.isEmpty || app.servicesID != nil else { throw .iosNotConfigured }
    let token = try NoticeBody.payload(request.body)
    let settings = AppleSettings(await services.settings)
    let payload = try await verifiedPayload(of: token, settings, using: services)
    guard let claims = AppleClaims(payload: payload), let notice = AppleNotice(payload: payload) else {
      throw .invalidRequest("The payload holds no claims.")
    }
    let now = await services.now
    guard claims.issuer == settings.issuer else { throw .invalidNotice("issuer") }
    guard let audience = claims.audience, app.bundleIDs.contains(audience) || app.servicesID == audience else {
      throw .invalidNotice("audience")
    }
    if let end = claims.expiresAt, end.milliseconds + AppleClaims.skew <= now { throw .invalidNotice("expired") }
    let name = notice.id.map { "jti:\($0)" } ?? "token:\(token)"
    return ProviderNotice(
      replayKey: ReplayKey(
        digest: await services.sha256(Array("notice:\(app.appID):\(name)".utf8)),
        expiresAt: (claims.expiresAt?.milliseconds ?? now + Self.noticeLifetime) + AppleClaims.skew),
      events: notice.events.compactMap { event in
        guard let kind = event.kind, let subject = event.subject else { return nil }
        let time = event.time ?? claims.issuedAt?.milliseconds ?? now
        return ProviderEvent(kind, issuer: "apple", team: app.teamID, subject: subject, time: time)
      })
  }

  private func verifiedPayload(
    of token: String, _ settings: AppleSettings, using services: any ProviderServices
  ) async throws(ProviderFailure) -> [UInt8] {
    do throws(KeyServiceFailure) {
      return try await services.verify(token, keySetURL: settings.keySetURL, algorithms: [.rs256]).payload
    } catch {
      switch error {
      case .malformed: throw .invalidRequest("The payload is no signed token.")
      case .unacceptableAlgorithm: throw .invalidNotice("algorithm")
      case .unknownKey: throw .invalidNotice("unknown key")
      case .badSignature: throw .invalidNotice("signature")
      case .unavailable: throw ProviderFailure(error)
      }
    }
  }
}
