import GatewayBase
import GatewayCrypto
import GatewayStore

/// Sign-ins in browsers that have begun and not ended: kept in the store, so that the end may come to any node. Each is
/// known by its `state` and bound to the browser by a cookie; each ends once.
package struct WebFlows: Sendable {
  /// One that has begun.
  package struct Flow: Sendable, Equatable {
    package let app: Int64
    package let provider: String
    package let nonce: String
    /// Where the browser goes in the end, as it was judged.
    package let redirect: String
    /// Where the provider sends it back to.
    package let callback: String
    /// Whom the result is for: the app gets a code in its place, good for who knows the verifier; nil for the result.
    package let challenge: CodeChallenge?
    /// SHA-256 of the cookie by which the browser is known.
    let browser: [UInt8]

    package init(
      app: Int64, provider: String, nonce: String, redirect: String, callback: String, challenge: CodeChallenge? = nil,
      cookie: String
    ) {
      self.init(
        app: app, provider: provider, nonce: nonce, redirect: redirect, callback: callback, challenge: challenge,
        browser: Self.digest(cookie))
    }

    fileprivate init(
      app: Int64, provider: String, nonce: String, redirect: String, callback: String, challenge: CodeChallenge?,
      browser: [UInt8]
    ) {
      self.app = app
      self.provider = provider
      self.nonce = nonce
      self.redirect = redirect
      self.callback = callback
      self.challenge = challenge
      self.browser = browser
    }

    /// Whether one of these cookies is the one that the flow began with.
    package func isBound(to cookies: [String]) -> Bool {
      cookies.contains { constantTimeEqual(Self.digest($0), browser) }
    }

    private static func digest(_ cookie: String) -> [UInt8] { Digest.sha256(Array("browser:\(cookie)".utf8)) }
  }

  private let store: any Store
  private let clock: any WallClock
  private let logger: Logger

  package init(store: any Store, clock: any WallClock, logger: Logger) {
    self.store = store
    self.clock = clock
    self.logger = logger
  }

  /// 256 random bits as text.
  package static func newSecret() -> String {
    var generator = SystemRandomNumberGenerator()
    return Base64URL.encode(generator.bytes(32))
  }

  /// Keeps a flow for ten minutes.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func begin(_ flow: Flow, state: String) async throws {
    let expiresAt = clock.now.adding(seconds: Limits.webFlow)
    try await logger.refusing {
      try await store.write { connection in
        try connection.run(
          """
          INSERT INTO web_flows (state, app, provider, nonce, redirect, callback, challenge, browser, expires_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
          [
            .blob(Self.digest(state)), .integer(flow.app), .text(flow.provider), .text(flow.nonce),
            .text(flow.redirect), .text(flow.callback), flow.challenge.map { .blob($0.digest) } ?? .null,
            .blob(flow.browser), .integer(expiresAt.milliseconds),
          ])
      }
    }
  }

  /// The flow of a state, which ends with this; nil for one that is unknown, over or ended before.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func take(state: String) async throws -> Flow? {
    let (digest, now) = (Self.digest(state), clock.now)
    return try await logger.refusing {
      try await store.write { connection in
        let row = try connection.first(
          """
          SELECT app, provider, nonce, redirect, callback, challenge, browser FROM web_flows
          WHERE state = ? AND expires_at > ?\(connection.dialect.forUpdate)
          """, [.blob(digest), .integer(now.milliseconds)])
        guard let row, try connection.run("DELETE FROM web_flows WHERE state = ?", [.blob(digest)]) == 1 else {
          return nil
        }
        return Flow(
          app: try row.integer(0), provider: try row.text(1), nonce: try row.text(2), redirect: try row.text(3),
          callback: try row.text(4),
          challenge: try row.isNull(5) ? nil : CodeChallenge(digest: try row.blob(5)), browser: try row.blob(6))
      }
    }
  }

  private static func digest(_ state: String) -> [UInt8] { Digest.sha256(Array("state:\(state)".utf8)) }
}
