import GatewayBase

extension ValueType where Value == String {
  /// The path of a route, in the canonical form that requests are brought to: a rule in another form would never match.
  static var routePath: ValueType {
    .text("a path such as /v1/", pattern: TextPattern.routePath) { text throws(ValueFault) in
      try RoutePath.check(text)
      return text
    }
  }

  /// A path that the gateway requests of a backend.
  static var requestPath: ValueType { routePath }

  /// An HTTP method (RFC 9110 section 9), in capitals.
  static var method: ValueType {
    .text("an HTTP method", pattern: TextPattern.method) { text throws(ValueFault) in
      guard text.utf8.count <= 32, text.utf8.allSatisfy({ $0.isLetter || $0 == 0x2D }), text.utf8.first != 0x2D else {
        throw ValueFault("\(Quoted(text)) is not an HTTP method", hint: "write GET, POST, PUT, PATCH or DELETE")
      }
      let capitals = text.uppercased()
      guard text == capitals else { throw ValueFault("\(Quoted(text)) is not in capitals", hint: "write \(capitals)") }
      guard text != "CONNECT", text != "TRACE" else {
        throw ValueFault("\(Quoted(text)) never passes the gateway", hint: "remove it")
      }
      return text
    }
  }
}

/// The canonical form of a path, as far as a file must write it.
enum RoutePath {
  /// - Throws: why `text` is not canonical.
  static func check(_ text: String) throws(ValueFault) {
    guard text.hasPrefix("/") else {
      throw ValueFault("\(Quoted(text)) does not begin with a slash", hint: "write /\(text)")
    }
    guard text.utf8.count <= 1024 else { throw ValueFault("the path is over 1,024 bytes", hint: "shorten it") }
    if text.holds("*") {
      throw ValueFault("\(Quoted(text)) has a wildcard", hint: "a path that ends in / matches all below it")
    }
    if text.holds("?") || text.holds("#") {
      throw ValueFault("\(Quoted(text)) is more than a path", hint: "leave out query and fragment")
    }
    let segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    if segments.dropLast().contains("") { throw ValueFault("\(Quoted(text)) has a run of slashes", hint: "write one") }
    if segments.contains(".") || segments.contains("..") {
      throw ValueFault("\(Quoted(text)) has dot segments", hint: "write the path that they lead to")
    }
    try checkBytes(text)
    if text.hasPrefix("/.well-known/speed") {
      throw ValueFault(
        "paths that begin with `/.well-known/speed` are the gateway's own", hint: "choose another path",
        code: .reservedPath)
    }
  }

  private static func checkBytes(_ text: String) throws(ValueFault) {
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%") {
        try checkTriplet(bytes[index...].prefix(3))
        index += 3
        continue
      }
      guard byte.isAlphanumeric || "-._~!$&'()*+,;=:@/".utf8.contains(byte) else {
        throw ValueFault("\(Quoted(text)) has a character that paths do not have", hint: "percent-encode it in UTF-8")
      }
      index += 1
    }
  }

  private static func checkTriplet(_ triplet: ArraySlice<UInt8>) throws(ValueFault) {
    let text = String(decoding: triplet, as: UTF8.self)
    guard triplet.count == 3, let high = Hex.value(of: triplet[triplet.startIndex + 1]),
      let low = Hex.value(of: triplet[triplet.startIndex + 2])
    else { throw ValueFault("\(Quoted(text)) is not a percent-encoded byte", hint: "write %25 for a percent sign") }
    let byte = high << 4 | low
    if byte.isAlphanumeric || "-._~".utf8.contains(byte) {
      throw ValueFault(
        "\(Quoted(text)) is not in canonical form", hint: "write \(Unicode.Scalar(byte)) itself")
    }
    if byte == 0 || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") {
      throw ValueFault("\(Quoted(text)) is refused in requests", hint: "no request can match this path")
    }
    guard text == text.uppercased() else {
      throw ValueFault("\(Quoted(text)) is not in canonical form", hint: "write \(text.uppercased())")
    }
  }
}
