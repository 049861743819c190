import GatewayBase
import GatewayConfig

/// Where a browser goes when a sign-in has ended: judged once, before anything is shown, and by nothing else.
///
/// It is compared by its parsed parts, never by a prefix: with the app's schemes, its domains and its exact `redirects`.
/// Nothing is repaired: what two readers could read in two ways is refused.
struct RedirectTarget: Sendable, Equatable {
  /// Why a text is no target of an app. It holds nothing of the text.
  enum Fault: Error, Equatable {
    /// No absolute URL with `://`, or one with userinfo, a fragment, a backslash, blanks, controls, or over 2,000 bytes.
    case malformed
    /// Its scheme, host or port is none of the app's.
    case foreign
    /// It has the gateway's own parameter already.
    case hasData
  }

  /// The parameter that brings the result of a sign-in.
  static let dataParameter = "_speed_auth_data"

  /// As it was given, its scheme in lower case.
  let text: String

  /// A target that was judged for this app.
  init(_ text: String, of app: TenantConfiguration) throws(Fault) {
    guard let parts = try? URLParts(text), parts.userinfo == nil, text.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw .malformed
    }
    guard Self.isAllowed(text, parts, app) else { throw .foreign }
    guard !Self.hasData(parts.path) else { throw .hasData }
    self.text = parts.scheme + text.dropFirst(parts.scheme.utf8.count)
  }

  private static func isAllowed(_ text: String, _ parts: URLParts, _ app: TenantConfiguration) -> Bool {
    // Reserved schemes can't be registered: `http` and `https` never pass here.
    if app.ios.urlSchemes.contains(parts.scheme) { return true }
    guard let url = try? ServiceURL(text, schemes: [.https, .http]) else { return false }
    if app.redirects.contains(url) { return true }
    guard case .name(let host) = url.host, app.domains.contains(host) else { return false }
    // On a developer's machine anything listens anywhere; elsewhere only TLS on its own port is the app's.
    return url.isLoopback || (url.scheme == .https && url.port == url.scheme.defaultPort)
  }

  /// Whether a query names the parameter, in whatever spelling.
  private static func hasData(_ path: Substring) -> Bool {
    guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
    return path.utf8[path.utf8.index(after: mark)...].split(separator: UInt8(ascii: "&")).contains { part in
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      // What can't be decoded might be decoded by others.
      guard let known = FormFields(name)?.values.keys.first else { return !name.isEmpty }
      return known == dataParameter
    }
  }

  /// The target with the result of a sign-in.
  func bringing(_ data: [UInt8]) -> String {
    appending(Self.dataParameter, String(decoding: data, as: UTF8.self))
  }

  /// The target with the code of a failure.
  func failing(_ code: String) -> String { appending("error", code) }

  private func appending(_ name: String, _ value: String) -> String {
    text + (text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "\(name)=\(PercentEncoding.encode(value))"
  }
}
