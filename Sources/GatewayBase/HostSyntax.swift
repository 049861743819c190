/// The syntax of hosts in URLs.
enum HostSyntax {
  /// - Parameter host: in lower case, without brackets.
  static func checked(_ host: String, isBracketed: Bool) throws(WebURL.Problem) -> String {
    guard isBracketed ? isIPv6(host) : isIPv4(host) || isName(host) else { throw .host }
    return host
  }

  /// A dotted name of letters, digits, `-` and `_` whose last label is no number: `127.1` and `0x7f.1` are addresses to
  /// some resolvers and names to others, so they are neither here.
  private static func isName(_ host: String) -> Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard host.utf8.count <= 253, let last = labels.last?.utf8.first, !(0x30...0x39).contains(last) else {
      return false
    }
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy {
          (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
        }
    }
  }

  private static func octets(_ host: String) -> [UInt8]? {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let octets = parts.compactMap { part -> UInt8? in
      guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), part == "0" || part.first != "0" else { return nil }
      return UInt8(part)
    }
    return parts.count == 4 && octets.count == 4 ? octets : nil
  }

  private static func isIPv4(_ host: String) -> Bool { octets(host) != nil }

  /// RFC 4291 section 2.2, without a zone: eight groups, or fewer around one `::`, the last two perhaps as IPv4.
  private static func isIPv6(_ host: String) -> Bool {
    let halves = host.split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2 else { return false }
    var groups = 0
    for (index, half) in halves.enumerated() where !half.isEmpty {
      let parts = half.split(separator: ":", omittingEmptySubsequences: false)
      for (position, part) in parts.enumerated() {
        let isLast = index == halves.count - 1 && position == parts.count - 1
        if isLast && isIPv4(String(part)) {
          groups += 2
        } else {
          guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ Hex.value(of: $0) != nil }) else {
            return false
          }
          groups += 1
        }
      }
    }
    return halves.count == 2 ? groups < 8 : groups == 8
  }

  static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || octets(host)?.first == 127
  }
}
