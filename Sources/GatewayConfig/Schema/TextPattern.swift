/// Regular expressions (ECMA 262) of the forms that texts have, for the JSON Schema. Each fits every text that its
/// reader takes; what an expression can't tell (bits behind a prefix, punycode) the reader refuses alone.
enum TextPattern {
  /// Something besides blanks.
  static let visible = "\\S"
  static let path = "^(?!file:)(?!.*://).*\\S"
  static let port = "(?:\(number(1...65_535)))"
  private static let octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
  private static let ipv4 = "(?:\(octet)\\.){3}\(octet)"
  private static let ipv6 = "\\[[0-9A-Fa-f:.]+\\]"
  /// A name whose last label is a number would be taken for an address.
  private static let notNumeric = "(?!(?:[^/:?#]*\\.)?(?:[0-9]+|0[xX][0-9A-Fa-f]*)\\.?(?:[:/?#]|$))"
  private static let name = "\(notNumeric)[^\\s\\x00-\\x20\\x7F/?#@:\\[\\]\\\\%*,;\"'<>^`{|}]+"
  private static let host = "(?:\(ipv6)|\(ipv4)|\(name))"
  private static let loopback = "(?:localhost|[^/:?#@]+\\.localhost|127\\.[0-9.]+|\\[::1\\])"
  private static let rest = "(?:[/?][^\\s#\\\\\"<>^`{|}]*)?"

  static let domain = "^\(name)$"
  static let gatewayHost = "^(?:\(ipv6)|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*|\(ipv4)|\(name))$"
  static let origin = "^(?:\\*|https?://\(host)(?::\(port))?)$"
  static let webOrigin = "^https?://\(host)(?::\(port))?/?$"
  static let outboundURL = "^(?:https://\(host)|http://\(loopback))(?::\(port))?\(rest)$"
  static let issuerURL = "^(?!.{256})(?:https://\(host)|http://\(loopback))(?::\(port))?(?:/[^\\s?#\\\\\"<>^`{|}]*)?$"
  static let redirect = "^(?:https://\(host)(?::443)?|https?://\(loopback)(?::\(port))?)\(rest)$"
  static let mailURL = "^(?:smtps://\(host)|smtp://\(loopback))(?::\(port))?/?$"
  static let backendServer =
    "^(?:(?!https?://169\\.254\\.)(?!https?://\\[[fF][eE][89abAB])https?://\(host)(?::\(port))?/?"
    + "|unix:(?!//)[^\\x00-\\x1F\\x7F]*[^/\\x00-\\x1F\\x7F])$"
  static let storeURL =
    "^(?:sqlite:[^?#\\x00-\\x1F\\x7F]+|mariadb://[^\\s:@/?#]+@\(host)(?::\(port))?/[^\\s/?#]+(?:\\?[^\\s#]*)?)$"
  static let listenAddress = "^(?:\(ipv4)|\(ipv6)|localhost):(?:0|\(port))$"
  static let loopbackAddress = "^(?:127\\.|\\[::1\\]|localhost:)"
  static let addressRange =
    "^(?:\(ipv4)(?:/(?:\(number(0...32))))?|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(?:/(?:\(number(0...128))))?)$"
  static let emailAddress = "^[^@\\s<>,]+@[^@\\s<>,]+$"
  static let routePath =
    "^(?!.*//)(?!.*/\\.{1,2}(?:/|$))(?!/\\.well-known/speed)(?!.*%(?:00|2F|5C))"
    + "/(?:[A-Za-z0-9._~!$&'()+,;=:@/-]|%(?!2D|2E|5F|7E|3[0-9]|4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A])[0-9A-F]{2})*$"
  static let method = "^(?!(?:CONNECT|TRACE)$)[A-Z][A-Z-]{0,31}$"

  /// A plain decimal and a unit, where the whole is within `range`.
  ///
  /// - Parameter units: each with what it is in the unit of `range`.
  static func quantity(_ range: ClosedRange<Int64>, units: [(suffix: String, size: Int64)]) -> String {
    let alternatives = units.compactMap { suffix, size -> String? in
      let least = (range.lowerBound + size - 1) / size
      let most = range.upperBound / size
      return least > most ? nil : "(?:\(number(least...most)))\(suffix)"
    }
    return "^(?:\(alternatives.joined(separator: "|")))$"
  }

  /// Plain decimals within `range`, which holds no negative number.
  static func number(_ range: ClosedRange<Int64>) -> String {
    var alternatives: [String] = []
    var low = range.lowerBound
    while low <= range.upperBound {
      let high = blockEnd(from: low, upTo: range.upperBound)
      alternatives.append(block(low, high))
      guard high < range.upperBound else { break }
      low = high + 1
    }
    return alternatives.joined(separator: "|")
  }

  /// The end of the longest run of numbers from `low` that differ in their last digits alone, in any way.
  private static func blockEnd(from low: Int64, upTo limit: Int64) -> Int64 {
    var power: Int64 = 1
    // As many free digits at the end as the zeros of `low` and the limit allow, but never the first one.
    while low >= power * 10, low.isMultiple(of: power * 10), low + power * 10 - 1 <= limit { power *= 10 }
    let digit = low / power % 10
    let most = min(9 - digit, (limit - low - power + 1) / power)
    return low + (most + 1) * power - 1
  }

  /// `low` to `high`, as `blockEnd` made them: a common beginning, one digit that runs, and free digits.
  private static func block(_ low: Int64, _ high: Int64) -> String {
    let (from, to) = (Array(String(low)), Array(String(high)))
    guard let first = from.indices.first(where: { from[$0] != to[$0] }) else { return String(low) }
    let rest = from.count - first - 1
    let range = from[first] == "0" && to[first] == "9" ? "[0-9]" : "[\(from[first])-\(to[first])]"
    return String(from[..<first]) + range + (rest == 0 ? "" : rest == 1 ? "[0-9]" : "[0-9]{\(rest)}")
  }
}
