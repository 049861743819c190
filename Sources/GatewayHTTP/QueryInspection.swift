/// What the gateway wants to know of a query, which it passes on untouched.
package enum QueryInspection {
  /// Whether a parameter is named `access_token`, also percent-encoded: a token in a URL ends up in logs and
  /// histories (RFC 6750 section 5.3), so it is refused rather than read.
  ///
  /// - Parameter query: without its `?`. Parameters are separated by `&` alone (WHATWG URL).
  package static func holdsAccessToken(_ query: Span<UInt8>) -> Bool {
    var position = 0
    while position < query.count {
      var name = PackedText()
      while position < query.count, query[position] != ampersand, query[position] != equals {
        if let value = query.percentTriplet(at: position) {
          name.append(value)
          position &+= 3
        } else {
          name.append(query[position])
          position &+= 1
        }
      }
      if name == accessToken { return true }
      while position < query.count, query[position] != ampersand { position &+= 1 }
      position &+= 1
    }
    return false
  }

  private static let accessToken = PackedText("access_token")
  private static let ampersand = UInt8(ascii: "&")
  private static let equals = UInt8(ascii: "=")
}
