import GatewayBase
import GatewayIdentity
import GatewayProxy

/// The cookie that binds a sign-in to the browser in which it began.
///
/// The provider's answer is a POST from its own site, with which browsers send cookies of `SameSite=None` alone. So this
/// one is relaxed, and is good for nothing else: it is no session. All flows of a browser share it, so that two windows
/// do not disturb each other.
enum FlowCookie {
  /// `__Host-`: no other host, no subdomain and no page without TLS can have set it (RFC 6265bis section 4.1.3.2).
  private static let name = "__Host-speed-flow"

  /// The values that a request carries; usually one.
  static func values(in request: ServiceRequest) -> [String] {
    request.values(of: "cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
      let pair = pair.drop { $0 == " " }
      guard pair.hasPrefix("\(name)=") else { return nil }
      let value = pair.dropFirst(name.count + 1)
      return isValue(value) ? String(value) : nil
    }
  }

  /// As `WebFlows.newSecret` makes them.
  private static func isValue(_ text: Substring) -> Bool { Base64URL.decode(text.utf8)?.count == 32 }

  static func field(_ value: String) -> ServiceField {
    ServiceField(
      "Set-Cookie", "\(name)=\(value); Path=/; Max-Age=\(Limits.webFlow); Secure; HttpOnly; SameSite=None")
  }
}
