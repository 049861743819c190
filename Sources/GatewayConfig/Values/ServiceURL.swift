import GatewayBase

/// An absolute URL of a service, read strictly: a scheme that is due, a host, perhaps a port and a path; no userinfo,
/// no fragment, nothing that parsers read in two ways.
package struct ServiceURL: Sendable, Hashable, CustomStringConvertible {
  package let scheme: String
  /// The canonical name, or the canonical text of an IP address (IPv6 without brackets).
  package let host: String
  package let port: UInt16
  /// With its query; empty where there is none.
  package private(set) var path: String
  private var address: IPAddress?
  private let showsPort: Bool

  /// Whether the host is this machine: 127.0.0.0/8, `::1`, `localhost` and the names below it.
  package var isLoopback: Bool { address?.isLoopback ?? (host == "localhost" || host.hasSuffix(".localhost")) }

  var isLinkLocal: Bool { address?.isLinkLocal ?? false }

  /// Scheme, host and port: what browsers send as `Origin`, the default port left out (RFC 6454 section 6.2).
  package var origin: String {
    let name = if case .v6 = address { "[\(host)]" } else { host }
    return "\(scheme)://\(name)\(showsPort ? ":\(port)" : "")"
  }

  package var description: String { origin + path }

  /// A host's root over TLS on the default port.
  static func https(_ host: String) -> ServiceURL {
    ServiceURL(scheme: "https", host: host, port: 443, path: "", address: nil, showsPort: false)
  }

  /// This machine's root over plain HTTP.
  static func localhost(port: UInt16) -> ServiceURL {
    ServiceURL(scheme: "http", host: "localhost", port: port, path: "", address: nil, showsPort: port != 80)
  }

  /// The URL with a path below its own.
  func appending(_ suffix: String) -> ServiceURL {
    var url = self
    url.path = (path.hasSuffix("/") ? String(path.dropLast()) : path) + suffix
    return url
  }

  /// - Parameter defaultPorts: the schemes that are due, each with its default port.
  /// - Throws: what is wrong with `text`, which itself is not quoted: it may hold a password.
  static func parse(_ text: String, _ defaultPorts: [(scheme: String, port: UInt16)]) throws(ValueFault) -> ServiceURL {
    let form = "write \(defaultPorts.map { "\($0.scheme)://host" }.joined(separator: " or "))"
    guard text.utf8.count <= 2000, !text.unicodeScalars.contains(where: isForbidden) else {
      throw ValueFault("this is not a URL", hint: "no blanks, backslashes or control characters, 2,000 bytes at most")
    }
    // A mark that combines with a separator would hide it from what follows.
    guard text.utf8.allSatisfy({ $0 < 0x80 }) || text.count == text.unicodeScalars.count else {
      throw ValueFault("the URL's host has combining characters", hint: "write the host in punycode (xn--…)")
    }
    guard let separator = text.byteRange(of: "://") else {
      throw ValueFault("this is not an absolute URL", hint: form)
    }
    let scheme = text[..<separator.lowerBound].lowercased()
    guard let defaultPort = defaultPorts.first(where: { $0.scheme == scheme })?.port else {
      throw ValueFault("a URL of this scheme does not work here", hint: form)
    }
    let rest = text[separator.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let path = rest[authority.endIndex...]
    if authority.holds("@") {
      throw ValueFault("the URL has userinfo (user@host)", hint: "remove what stands before the @")
    }
    if path.holds("#") { throw ValueFault("the URL has a fragment (#)", hint: "remove it") }
    guard path.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw ValueFault("the URL's path is not ASCII", hint: "percent-encode it")
    }
    let (host, digits) = try split(authority, form)
    let given = digits.map { PortNumber.parse($0) }
    guard let port = given ?? defaultPort else { throw ValueFault("the URL's port is none", hint: "write 1 to 65535") }
    let (name, address) = try parseHost(host, form)
    return ServiceURL(
      scheme: scheme, host: name, port: port, path: path == "/" ? "" : String(path), address: address,
      showsPort: port != defaultPort)
  }

  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value <= 0x20 || scalar.value == 0x7F || "\\\"<>^`{|}".unicodeScalars.contains(scalar)
  }

  private static func split(
    _ authority: Substring, _ form: String
  ) throws(ValueFault) -> (host: Substring, port: Substring?) {
    let hostEnd: Substring.Index
    if authority.hasPrefix("[") {
      guard let bracket = authority.firstIndex(of: "]") else { throw ValueFault("the URL's host is none", hint: form) }
      hostEnd = authority.index(after: bracket)
    } else {
      hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
    }
    let tail = authority[hostEnd...]
    guard !tail.isEmpty else { return (authority[..<hostEnd], nil) }
    guard tail.hasPrefix(":") else { throw ValueFault("the URL's host is none", hint: form) }
    return (authority[..<hostEnd], tail.dropFirst())
  }

  private static func parseHost(_ text: Substring, _ form: String) throws(ValueFault) -> (String, IPAddress?) {
    if text.hasPrefix("[") {
      guard let address = IPAddress(text.dropFirst().dropLast()), case .v6 = address else {
        throw ValueFault("the URL's host is not an IPv6 address", hint: "write it as [2001:db8::1]")
      }
      return (address.description, address)
    }
    if let address = IPAddress(text) { return (address.description, address) }
    guard let name = HostName(international: String(text)) else {
      throw ValueFault("the URL's host is none", hint: form)
    }
    guard !name.endsInNumber else {
      // `http://2852039166/` and `http://0xa9fe.43518/` reach addresses that no reader sees.
      throw ValueFault("the URL's host is a number", hint: "write an address as four decimal numbers")
    }
    return (name.description, nil)
  }
}

extension ValueType where Value == ServiceURL {
  /// A web service that the gateway calls or names: `https`, or plain `http` on loopback.
  static var outboundURL: ValueType {
    .text("an https:// URL", pattern: "^https?://") { text throws(ValueFault) in
      let url = try ServiceURL.parse(text, [("https", 443), ("http", 80)])
      guard url.scheme == "https" || url.isLoopback else {
        throw ValueFault("plain http:// is for loopback only", hint: "write https://")
      }
      return url
    }
  }

  /// The address under which clients know the gateway.
  static var publicURL: ValueType {
    .text("an https:// URL", pattern: "^https?://[^/]+/?$") { text throws(ValueFault) in
      let url = try ServiceURL.parse(text, [("https", 443), ("http", 80)])
      guard url.path.isEmpty else { throw ValueFault("the URL has a path", hint: "write \(url.origin)") }
      return url
    }
  }

  /// An exact target of a redirect.
  static var redirect: ValueType {
    .text("an https:// URL", pattern: "^https?://") { text throws(ValueFault) in
      let url = try ServiceURL.parse(text, [("https", 443), ("http", 80)])
      guard url.isLoopback || (url.scheme == "https" && url.port == 443) else {
        throw ValueFault(
          "a redirect goes to https:// on the default port", hint: "http:// and other ports are for loopback only")
      }
      return url
    }
  }

  /// A mail relay: `smtps`, or plain `smtp` on loopback.
  static var mailURL: ValueType {
    .text("an smtps:// URL", pattern: "^smtps?://") { text throws(ValueFault) in
      let url = try ServiceURL.parse(text, [("smtps", 465), ("smtp", 25)])
      guard url.scheme == "smtps" || url.isLoopback else {
        throw ValueFault("plain smtp:// is for loopback only", hint: "write smtps://")
      }
      guard url.path.isEmpty else { throw ValueFault("the URL has a path", hint: "write \(url.origin)") }
      return url
    }
  }
}
