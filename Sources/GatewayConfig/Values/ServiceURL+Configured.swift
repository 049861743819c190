import GatewayBase

extension ServiceURL {
  /// A URL that a person wrote, in which a name may have letters of any script.
  ///
  /// - Parameter schemes: those that are due.
  /// - Throws: what is wrong with `text`, which itself is not quoted: it may hold a password.
  static func configured(_ text: String, _ schemes: [Scheme]) throws(ValueFault) -> ServiceURL {
    do throws(Problem) {
      return try ServiceURL(text, schemes: schemes, name: { HostName(international: $0) })
    } catch {
      throw error.fault(form: "write \(schemes.map { "\($0.rawValue)://host" }.joined(separator: " or "))")
    }
  }
}

extension ServiceURL.Problem {
  /// - Parameter form: tells what would be right.
  func fault(form: String) -> ValueFault {
    switch self {
    case .character:
      ValueFault("this is not a URL", hint: "no blanks, backslashes or control characters, 2,000 bytes at most")
    case .relative: ValueFault("this is not an absolute URL", hint: form)
    case .scheme: ValueFault("a URL of this scheme does not work here", hint: form)
    case .userinfo: ValueFault("the URL has userinfo (user@host)", hint: "remove what stands before the @")
    case .fragment: ValueFault("the URL has a fragment (#)", hint: "remove it")
    case .host:
      ValueFault("the URL's host is neither a name nor an address", hint: "\(form), an IPv6 address as [2001:db8::1]")
    case .numericHost: ValueFault("the URL's host is a number", hint: "write an address as four decimal numbers")
    case .port: ValueFault("the URL's port is none", hint: "write 1 to 65535")
    case .path: ValueFault("the URL's path is not ASCII", hint: "percent-encode it")
    }
  }
}

extension ValueType where Value == ServiceURL {
  /// A web service that the gateway calls or names: `https`, or plain `http` on loopback.
  static var outboundURL: ValueType {
    .text("an https:// URL", pattern: TextPattern.outboundURL) { text throws(ValueFault) in
      let url = try ServiceURL.configured(text, [.https, .http])
      guard url.isConfidential else {
        throw ValueFault("plain http:// is for loopback only", hint: "write https://")
      }
      return url
    }
  }

  /// The address under which clients know the gateway.
  static var publicURL: ValueType {
    .text("an https:// URL", pattern: TextPattern.webOrigin) { text throws(ValueFault) in
      let url = try ServiceURL.configured(text, [.https, .http])
      guard url.path.isEmpty else { throw ValueFault("the URL has a path", hint: "write \(url.origin)") }
      return url
    }
  }

  /// An exact target of a redirect.
  static var redirect: ValueType {
    .text("an https:// URL", pattern: TextPattern.redirect) { text throws(ValueFault) in
      let url = try ServiceURL.configured(text, [.https, .http])
      guard url.isLoopback || (url.scheme == .https && url.port == 443) else {
        throw ValueFault(
          "a redirect goes to https:// on the default port", hint: "http:// and other ports are for loopback only")
      }
      return url
    }
  }

  /// A mail relay: `smtps`, or plain `smtp` on loopback.
  static var mailURL: ValueType {
    .text("an smtps:// URL", pattern: TextPattern.mailURL) { text throws(ValueFault) in
      let url = try ServiceURL.configured(text, [.smtps, .smtp])
      guard url.isConfidential else {
        throw ValueFault("plain smtp:// is for loopback only", hint: "write smtps://")
      }
      guard url.path.isEmpty else { throw ValueFault("the URL has a path", hint: "write \(url.origin)") }
      return url
    }
  }
}
