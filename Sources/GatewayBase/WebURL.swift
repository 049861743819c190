/// An absolute `http` or `https` URL of the configuration or of an outbound request, parsed once and strictly.
///
/// Only what every reader understands alike: visible ASCII, no userinfo, no fragment, no backslash, a host that is a
/// name, an IPv4 or a bracketed IPv6 address. Otherwise a check and the later connection could mean different hosts.
package struct WebURL: Sendable, Hashable, CustomStringConvertible {
  package enum Scheme: String, Sendable, Hashable {
    case http, https

    package var defaultPort: UInt16 { self == .http ? 80 : 443 }
  }

  package enum Problem: String, Error, Sendable, CustomStringConvertible {
    case scheme = "it must begin with http:// or https://"
    case character = "it may hold only visible ASCII characters, and no quote, bracket or backslash"
    case userinfo = "it must not hold a user or password"
    case fragment = "it must not hold a fragment (#)"
    case host = "its host must be a name, an IPv4 address or a bracketed IPv6 address"
    case port = "its port must be a number from 1 to 65535"

    package var description: String { rawValue }
  }

  package let scheme: Scheme
  /// In lower case; an IPv6 address without its brackets.
  package let host: String
  package let port: UInt16
  /// Path and query as written; `/` where the URL ends with its host.
  package let target: String

  package init(_ text: String) throws(Problem) {
    guard text.utf8.allSatisfy(Self.isAllowed) else { throw .character }
    guard let separator = text.firstRange(of: "://"),
      let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased())
    else { throw .scheme }
    let rest = text[separator.upperBound...]
    guard !rest.contains("#") else { throw .fragment }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let target = rest[authority.endIndex...]
    guard !authority.contains("@") else { throw .userinfo }
    let (host, port) = try Self.split(authority)
    self.scheme = scheme
    self.host = try HostSyntax.checked(host.lowercased(), isBracketed: authority.hasPrefix("["))
    self.port = try Self.number(port) ?? scheme.defaultPort
    self.target = target.hasPrefix("/") ? String(target) : "/" + target
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
      UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
      false
    default: (0x21...0x7E).contains(byte)
    }
  }

  /// The host without brackets, and the port's digits where there is a colon.
  private static func split(_ authority: Substring) throws(Problem) -> (host: Substring, port: Substring?) {
    var host = authority.prefix { $0 != ":" }
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { throw .host }
      host = authority[...end]
    }
    let rest = authority[host.endIndex...]
    guard rest.isEmpty || rest.hasPrefix(":") else { throw .host }
    let bare = authority.hasPrefix("[") ? host.dropFirst().dropLast() : host
    return (bare, rest.isEmpty ? nil : rest.dropFirst())
  }

  private static func number(_ digits: Substring?) throws(Problem) -> UInt16? {
    guard let digits else { return nil }
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
      throw .port
    }
    return port
  }

  /// The host as an authority writes it: an IPv6 address in brackets.
  package var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

  /// Scheme, host and port; no path and no query, so that it may be logged.
  package var origin: String {
    "\(scheme.rawValue)://\(bracketedHost)" + (port == scheme.defaultPort ? "" : ":\(port)")
  }

  package var description: String { origin + target }

  /// Whether the host is this machine: 127.0.0.0/8, `::1` or `localhost`, written in full.
  package var isLoopback: Bool { HostSyntax.isLoopback(host) }

  /// Whether secrets may travel to it: over TLS, or in the clear on this machine alone.
  package var isConfidential: Bool { scheme == .https || isLoopback }
}
