import Foundation

/// Scheme, host and port of a URL (RFC 6454): what decides who gets to see a token.
struct Origin: Sendable, Hashable {
  private let scheme: String
  private let host: String
  private let port: Int

  /// Of any URL; nil where it has no host, a user, or a scheme that no token goes over. A WebSocket counts as HTTP.
  init?(of url: URL) {
    guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), parts.user == nil, parts.password == nil,
      let host = parts.encodedHost?.lowercased(), !host.isEmpty
    else { return nil }
    self.host = host.hasSuffix(".") ? String(host.dropLast()) : host
    switch parts.scheme?.lowercased() {
    case "https", "wss": scheme = "https"
    case "http", "ws": scheme = "http"
    default: return nil
    }
    port = parts.port ?? (scheme == "https" ? 443 : 80)
    guard scheme == "https" || isLoopback else { return nil }
  }

  /// As a configuration names it.
  init(named text: String) throws(ConfigurationFault) {
    guard let url = URL(string: text), let parts = URLComponents(string: text), parts.path.isEmpty || parts.path == "/",
      parts.query == nil, parts.fragment == nil, parts.scheme?.lowercased().hasPrefix("http") == true,
      let origin = Origin(of: url)
    else { throw .invalidOrigin(text) }
    self = origin
  }

  /// Without TLS a token is safe on this machine alone.
  private var isLoopback: Bool {
    ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host) || host.hasSuffix(".localhost")
  }

  /// The origin as a URL without a path.
  var url: URL {
    get throws(ConfigurationFault) {
      let isUsual = port == (scheme == "https" ? 443 : 80)
      let text = "\(scheme)://\(host)\(isUsual ? "" : ":\(port)")"
      guard let url = URL(string: text) else { throw .invalidOrigin(text) }
      return url
    }
  }
}
