import GatewayBase
import GatewayCrypto
import GatewayIdentity
import GatewayProxy

/// The cookie by which a browser is known to the pages, whoever sits in front of it: a form is taken only from the browser
/// that was shown it. It is no session, and every browser gets one with its first page.
struct BrowserCookie {
  private static let name = "__Host-speed-browser"

  private let value: String
  /// Whether this request brought it.
  let isKnown: Bool

  /// The browser's, or a new one.
  init(of request: ServiceRequest) {
    let sent = request.cookies(named: Self.name).first { Base64URL.decode($0.utf8)?.count == 32 }
    value = sent ?? WebFlows.newSecret()
    isKnown = sent != nil
  }

  /// What every form that this browser is shown carries. A page shows it to scripts, so it is not the cookie itself.
  var formToken: String { Base64URL.encode(Digest.sha256(Array("form:\(value)".utf8))) }

  var field: ServiceField {
    HostCookie.field(Self.name, value, seconds: Limits.browserCookie, sameSite: .lax)
  }
}
