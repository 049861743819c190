import GatewayBase
import GatewayProxy

extension ServiceRequest {
  /// The languages of `Accept-Language` (RFC 9110 section 12.5.4), best first, in lower case. What is no tag, and what is
  /// not wanted, is left out.
  var languages: [String] {
    let ranges = values(of: "accept-language").flatMap { $0.split(separator: ",") }.prefix(Limits.browserLanguages)
    let wanted = ranges.compactMap { range -> (tag: String, weight: Double)? in
      let parts = range.split(separator: ";").map(\.trimmed)
      guard let tag = parts.first, (1...35).contains(tag.utf8.count),
        tag.utf8.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "-") })
      else { return nil }
      let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      return weight > 0 ? (tag.lowercased(), weight) : nil
    }
    return wanted.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map {
      $0.element.tag
    }
  }
}

extension Substring {
  /// Without blanks and tabs at both ends: the optional whitespace of RFC 9110 section 5.6.3.
  var trimmed: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
