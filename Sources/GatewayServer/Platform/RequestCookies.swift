import GatewayBase
import GatewayProxy

extension ServiceRequest {
  /// The values of the cookies of a name, in order; a browser sends one at most.
  func cookies(named name: String) -> [String] {
    values(of: "cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
      let pair = pair.drop { $0 == " " }
      return pair.hasPrefix("\(name)=") ? String(pair.dropFirst(name.count + 1)) : nil
    }
  }
}

/// Cookies of the dash hosts. `__Host-`: no other host, no subdomain and no page without TLS can have set one (RFC 6265bis
/// section 4.1.3.2). Scripts can't read them.
enum HostCookie {
  /// When a browser sends a cookie along.
  enum SameSite: String {
    /// With links from elsewhere, but not with forms from there.
    case lax = "Lax"
    /// Always.
    case none = "None"
  }

  /// - Parameter seconds: how long it is kept; nil until the browser is closed.
  static func field(_ name: String, _ value: String, seconds: Int64?, sameSite: SameSite) -> ServiceField {
    let age = seconds.map { " Max-Age=\($0);" } ?? ""
    return ServiceField(
      "Set-Cookie", "\(name)=\(value); Path=/;\(age) Secure; HttpOnly; SameSite=\(sameSite.rawValue)")
  }
}
