import GatewayBase
import GatewayIdentity
import GatewayProxy

/// The cookie that binds a sign-in to the browser in which it began.
///
/// The provider's answer is a POST from its own site, with which browsers send cookies of `SameSite=None` alone. So this
/// one is relaxed, and is good for nothing else: it is no session. All flows of a browser share it, so that two windows
/// do not disturb each other.
enum FlowCookie {
  private static let name = "__Host-speed-flow"

  /// The values that a request carries; usually one.
  static func values(in request: ServiceRequest) -> [String] {
    // As `WebFlows.newSecret` makes them.
    request.cookies(named: name).filter { Base64URL.decode($0.utf8)?.count == 32 }
  }

  static func field(_ value: String) -> ServiceField {
    HostCookie.field(name, value, seconds: Limits.webFlow, sameSite: .none)
  }
}
