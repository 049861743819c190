/// An absolute URL of a service, read once and strictly: a scheme that is due, a host, perhaps a port and a path; no
/// userinfo, no fragment, nothing that a check and the later connection could read in two ways.
package struct ServiceURL: Sendable, Hashable, CustomStringConvertible {
  package enum Scheme: String, Sendable, Hashable {
    case http, https, smtp, smtps

    package var defaultPort: UInt16 {
      switch self {
      case .http: 80
      case .https: 443
      case .smtp: 25
      case .smtps: 465
      }
    }

    /// Whether it is TLS from the first byte.
    package var isEncrypted: Bool { self == .https || self == .smtps }
  }

  /// Why a text is refused. It holds nothing of the text, which may hold a password.
  package enum Problem: Error, Sendable, Equatable {
    /// A blank, a control character or one of `"<>\^{|}` and the backtick, or more than `Limits.url` bytes.
    case character
    case relative
    /// None of those that are due.
    case scheme
    case userinfo
    case fragment
    case host
    /// `http://2852039166/` and `http://0xa9fe.43518/` reach addresses that no reader sees.
    case numericHost
    /// Not 1 to 65535 without leading zeros.
    case port
    /// Not ASCII.
    case path
  }

  package let scheme: Scheme
  package let host: URLHost
  package let port: UInt16
  /// With its query, as written; empty where there is none or `/` alone.
  package private(set) var path: String

  /// - Parameter port: nil for the scheme's default.
  package init(scheme: Scheme, host: URLHost, port: UInt16? = nil) {
    self.scheme = scheme
    self.host = host
    self.port = port ?? scheme.defaultPort
    path = ""
  }

  /// - Parameters:
  ///   - schemes: those that are due.
  ///   - name: reads a host that is no address.
  package init(
    _ text: String, schemes: [Scheme] = [.http, .https], name: (String) -> HostName? = { HostName($0) }
  ) throws(Problem) {
    let parts = try URLParts(text)
    guard let scheme = Scheme(rawValue: parts.scheme), schemes.contains(scheme) else { throw .scheme }
    guard parts.userinfo == nil else { throw .userinfo }
    let host = try URLHost(parts.host, name: name)
    let given = parts.port.map { PortNumber.parse($0) }
    guard let port = given ?? scheme.defaultPort else { throw .port }
    self.init(scheme: scheme, host: host, port: port)
    path = parts.path == "/" ? "" : String(parts.path)
  }

  /// The URL with a path below its own.
  package func appending(_ suffix: String) -> ServiceURL {
    var url = self
    url.path = (path.hasSuffix("/") ? String(path.dropLast()) : path) + suffix
    return url
  }

  /// Scheme, host and port, the default port left out: what browsers send as `Origin` (RFC 6454 section 6.2). It may
  /// be logged.
  package var origin: String {
    "\(scheme.rawValue)://\(host.bracketed)" + (port == scheme.defaultPort ? "" : ":\(port)")
  }

  package var description: String { origin + path }

  package var isLoopback: Bool { host.isLoopback }

  /// Whether secrets may travel to it: over TLS, or in the clear on this machine alone.
  package var isConfidential: Bool { scheme.isEncrypted || isLoopback }
}
