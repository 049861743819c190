import GatewayBase
import GatewayConfig

/// Where a browser goes when a sign-in has ended: judged once, before anything is shown, and by nothing else.
///
/// It is compared by its parsed parts, never by a prefix: with the app's schemes, its domains and its exact `redirects`.
/// Nothing is repaired: what two readers could read in two ways is refused.
///
/// The port is the scheme's own. On a developer's machine, where all hosts are one gateway's, the port on which the browser
/// has found the pages is as good, for domains of loopback; any other one, a development server's say, is to be listed in
/// `redirects`.
struct RedirectTarget: Sendable, Equatable {
  /// Why a text is no target of an app. It holds nothing of the text.
  enum Fault: Error, Equatable {
    /// No absolute URL with `://`, or one with userinfo, a fragment, a backslash, blanks, controls, or over 2,000 bytes.
    case malformed
    /// Its scheme, host or port is none of the app's.
    case foreign
    /// It has the parameter already that will bring the result.
    case hasData
  }

  /// The parameter that brings the result of a sign-in.
  static let dataParameter = "_speed_auth_data"
  /// The parameter that brings a code for it.
  static let codeParameter = "code"

  /// As it was given, its scheme in lower case.
  let text: String
  /// What a policy names to allow forms that end there (Content Security Policy 3, section 2.3.1): browsers judge what a
  /// posted form is redirected to by it.
  let formAction: String

  /// A target that was judged for this app.
  ///
  /// - Parameters:
  ///   - loopbackPort: on which the browser has found the pages, where that is on its own machine.
  ///   - bringsCode: whether a code will be brought.
  init(
    _ text: String, of app: TenantConfiguration, loopbackPort: UInt16? = nil, bringsCode: Bool = false
  ) throws(Fault) {
    guard let parts = try? URLParts(text), parts.userinfo == nil, text.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw .malformed
    }
    guard Self.isAllowed(text, parts, app, loopbackPort) else { throw .foreign }
    let taken = bringsCode ? [Self.dataParameter, Self.codeParameter] : [Self.dataParameter]
    guard !Self.has(taken, parts.path) else { throw .hasData }
    self.text = parts.scheme + text.dropFirst(parts.scheme.utf8.count)
    formAction = Self.source(text, scheme: parts.scheme)
  }

  /// An origin, or the scheme alone where there is none that a policy could name.
  private static func source(_ text: String, scheme: String) -> String {
    guard let url = try? ServiceURL(text, schemes: [.https, .http]), case .name = url.host else { return "\(scheme):" }
    return url.origin
  }

  private static func isAllowed(
    _ text: String, _ parts: URLParts, _ app: TenantConfiguration, _ loopbackPort: UInt16?
  ) -> Bool {
    // Reserved schemes can't be registered: `http` and `https` never pass here.
    if app.ios.urlSchemes.contains(parts.scheme) { return true }
    guard let url = try? ServiceURL(text, schemes: [.https, .http]) else { return false }
    if app.redirects.contains(url) { return true }
    guard case .name(let host) = url.host, app.domains.contains(host) else { return false }
    if url.isLoopback { return url.port == url.scheme.defaultPort || url.port == loopbackPort }
    return url.scheme == .https && url.port == url.scheme.defaultPort
  }

  /// Whether a query names one of these parameters, in whatever spelling.
  private static func has(_ parameters: [String], _ path: Substring) -> Bool {
    guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
    return path.utf8[path.utf8.index(after: mark)...].split(separator: UInt8(ascii: "&")).contains { part in
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      // What can't be decoded might be decoded by others.
      guard let known = FormFields(name)?.values.keys.first else { return !name.isEmpty }
      return parameters.contains(known)
    }
  }

  /// The target with the result of a sign-in.
  func bringing(_ data: [UInt8]) -> String {
    appending(Self.dataParameter, String(decoding: data, as: UTF8.self))
  }

  /// The target with a code for that.
  func bringing(code: String) -> String { appending(Self.codeParameter, code) }

  /// The target with the code of a failure.
  func failing(_ code: String) -> String { appending("error", code) }

  private func appending(_ name: String, _ value: String) -> String {
    text + (text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "\(name)=\(PercentEncoding.encode(value))"
  }
}
