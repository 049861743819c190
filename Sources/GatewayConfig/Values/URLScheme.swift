import GatewayBase

/// Schemes of custom URLs that apps claim.
enum URLScheme {
  /// Schemes that mean something to a browser or the system: an app that had one could run code in the page that
  /// redirects to it, or receive what was meant for another.
  private static let reserved: Set<String> = [
    "about", "android-app", "blob", "chrome", "content", "data", "facetime", "facetime-audio", "feed", "file",
    "filesystem", "ftp", "ftps", "geo", "http", "https", "imap", "intent", "ios-app", "itms", "itms-apps",
    "itms-appss", "itms-services", "jar", "javascript", "ldap", "ldaps", "mailto", "maps", "market", "ms-appx",
    "resource", "sftp", "shortcuts", "sip", "sips", "sms", "smb", "ssh", "tel", "telnet", "urn", "vbscript",
    "view-source", "webcal", "ws", "wss", "x-apple", "xmpp",
  ]

  /// The canonical form, which is lower case (RFC 3986 section 3.1).
  ///
  /// - Throws: what is wrong with `text`.
  static func parse(_ text: String) throws(ValueFault) -> String {
    if text.holds(":") || text.holds("/") {
      let word = text.prefix { $0 != ":" && $0 != "/" }
      if isReserved(String(word)) { throw reservedFault(String(word)) }
      throw ValueFault("\(Quoted(text)) is more than a scheme", hint: "write it without ://")
    }
    guard let first = text.utf8.first, first.isLetter, text.utf8.count <= 64,
      text.utf8.allSatisfy({ $0.isAlphanumeric || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E })
    else {
      throw ValueFault(
        "\(Quoted(text)) is not a URL scheme",
        hint: "a letter, then letters, digits, '+', '-' and '.', such as com.example.notes")
    }
    if isReserved(text) { throw reservedFault(text) }
    return text.lowercased()
  }

  private static func isReserved(_ text: String) -> Bool { reserved.contains(text.lowercased()) }

  private static func reservedFault(_ text: String) -> ValueFault {
    ValueFault(
      "the scheme \(Quoted(text)) is reserved", hint: "use one of your own, such as com.example.notes",
      code: .reservedScheme)
  }
}

extension ValueType where Value == String {
  /// Warns where the scheme has no dot: any app can claim a short word, and then get what was sent to it.
  static var urlScheme: ValueType {
    let scheme = ValueType.text("a URL scheme", pattern: "^[A-Za-z][A-Za-z0-9+.-]*$") { text throws(ValueFault) in
      try URLScheme.parse(text)
    }
    return ValueType(shape: scheme.shape) { node, diagnostics in
      let value = scheme.read(node, diagnostics)
      if let value, !value.holds(".") {
        diagnostics.warning(
          .weakScheme, at: node.place, "any other app can claim the scheme \(Quoted(value)) too",
          hint: "a scheme with your domain in it is yours alone, such as com.example.notes")
      }
      return value
    }
  }
}
