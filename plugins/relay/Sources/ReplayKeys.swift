import ProviderKit

/// What a token uses up.
struct ReplayKeys {
  /// Milliseconds for which a token without a time of its own is remembered: 30 days.
  private static let memory: Int64 = 30 * 86_400_000

  private let services: any ProviderServices

  init(_ services: any ProviderServices) { self.services = services }

  /// The token counts without its signature, so that no other signature of one passes for a second token; its nonce counts
  /// within app and issuer, so that neither two apps nor two issuers can disturb each other.
  func ofToken(_ token: String, nonce: String?, issuer: String, app: Int64, expiresAt: Int64) async -> [ReplayKey] {
    let signed = token.utf8.prefix(upTo: token.utf8.lastIndex(of: UInt8(ascii: ".")) ?? token.utf8.endIndex)
    var keys = [ReplayKey(digest: await services.sha256(Array("token:".utf8) + signed), expiresAt: expiresAt)]
    if let nonce {
      keys.append(
        ReplayKey(
          digest: await services.sha256(Array("nonce:\(app):\(issuer) \(nonce)".utf8)), expiresAt: expiresAt))
    }
    return keys
  }

  /// Only the verifier knows what such a token is and how long it is good, so it counts as it is, within its app.
  func ofOpaqueToken(_ token: String, app: Int64, now: Int64) async -> ReplayKey {
    ReplayKey(digest: await services.sha256(Array("verifier:\(app):\(token)".utf8)), expiresAt: now + Self.memory)
  }
}
