/// An address of IPv4 or IPv6, without a zone: the one home of their text forms.
package enum IPAddress: Hashable, Sendable {
  /// The first byte on the wire on top.
  case v4(UInt32)
  /// The first byte on the wire on top.
  case v6(IPv6Number)

  /// Reads `192.0.2.1` or `2001:db8::1` (no brackets): four decimal parts without leading zeros, or RFC 4291
  /// section 2.2. Other spellings that `inet_aton` takes (octal, hex, fewer parts) are none.
  package init?(_ text: Span<UInt8>) {
    var parser = IPv6Parser()
    if let value = IPv4Parser.parse(text) {
      self = .v4(value)
    } else if let value = parser.parse(text) {
      self = .v6(value)
    } else {
      return nil
    }
  }

  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    self.init(bytes.span)
  }

  /// The IPv4 address inside an IPv4-mapped one (RFC 4291 section 2.5.5.2); else itself.
  package var unmapped: IPAddress { embedded(behind: (0, 0xFFFF)) ?? self }

  /// The IPv4 address that a NAT64 translator would connect to (RFC 6052), or nil.
  private var translated: IPAddress? { embedded(behind: (0x64_FF9B << 32, 0)) }

  /// - Parameter prefix: the first 64 bits, and the next 32.
  private func embedded(behind prefix: (UInt64, UInt64)) -> IPAddress? {
    guard case .v6(let value) = self, value.high == prefix.0, value.low >> 32 == prefix.1 else { return nil }
    return .v4(UInt32(truncatingIfNeeded: value.low))
  }

  /// 127.0.0.0/8 and `::1`.
  package var isLoopback: Bool {
    switch unmapped {
    case .v4(let value): value >> 24 == 127
    case .v6(let value): value == IPv6Number(high: 0, low: 1)
    }
  }

  /// 169.254.0.0/16 and fe80::/10, where clouds keep the credentials of machines.
  package var isLinkLocal: Bool {
    switch translated ?? unmapped {
    case .v4(let value): value >> 16 == 0xA9FE
    case .v6(let value): value.high >> 54 == 0xFE80 >> 6
    }
  }
}

extension IPAddress: CustomStringConvertible {
  /// The canonical text (RFC 5952).
  package var description: String {
    switch self {
    case .v4(let value): "\(value >> 24).\(value >> 16 & 0xFF).\(value >> 8 & 0xFF).\(value & 0xFF)"
    case .v6(let value): Self.text(value)
    }
  }

  /// As an authority writes it: IPv6 in brackets.
  package var bracketed: String { if case .v6 = self { "[\(self)]" } else { description } }

  /// RFC 5952 section 4: lower case, the longest run of zeros, the first of equals, cut out.
  private static func text(_ value: IPv6Number) -> String {
    let groups = (0..<8).map { value.group($0) }
    var zeros = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 { start = index + 1 } else if index + 1 - start > max(zeros.count, 1) { zeros = start..<index + 1 }
    }
    let hex = groups.map { String($0, radix: 16) }
    guard !zeros.isEmpty else { return hex.joined(separator: ":") }
    return hex[..<zeros.lowerBound].joined(separator: ":") + "::" + hex[zeros.upperBound...].joined(separator: ":")
  }
}

/// Reads groups from left to right; those after `::` are counted apart, as they belong to the right end.
private struct IPv6Parser {
  private var left = IPv6Number(high: 0, low: 0)
  private var leftCount = 0
  private var right = IPv6Number(high: 0, low: 0)
  private var rightCount = 0
  private var hasGap = false

  init() {}

  mutating func parse(_ text: Span<UInt8>) -> IPv6Number? {
    var index = 0
    if startsGap(text, 0) {
      hasGap = true
      index = 2
    }
    while index < text.count || !hasGap {
      guard let end = readGroup(text, from: index) else { return nil }
      guard end < text.count else { break }
      guard text[end] == UInt8(ascii: ":") else { return nil }
      index = end + 1
      if startsGap(text, end) {
        guard !hasGap else { return nil }
        hasGap = true
        index = end + 2
      } else if index == text.count {
        return nil
      }
    }
    guard hasGap ? leftCount + rightCount < 8 : leftCount == 8 else { return nil }
    for _ in leftCount..<8 { left.append(0) }
    return left | right
  }

  private func startsGap(_ text: Span<UInt8>, _ index: Int) -> Bool {
    index + 1 < text.count && text[index] == UInt8(ascii: ":") && text[index + 1] == UInt8(ascii: ":")
  }

  /// Reads one group, or the IPv4 address that takes the place of the last two, and returns where it ends.
  private mutating func readGroup(_ text: Span<UInt8>, from start: Int) -> Int? {
    var value: UInt16 = 0
    var index = start
    while index < text.count, let digit = Hex.value(of: text[index]) {
      guard index - start < 4 else { return nil }
      value = value << 4 | UInt16(digit)
      index += 1
    }
    if index < text.count, text[index] == UInt8(ascii: ".") {
      guard let address = IPv4Parser.parse(text.extracting(start...)) else { return nil }
      guard add(UInt16(truncatingIfNeeded: address >> 16)), add(UInt16(truncatingIfNeeded: address)) else { return nil }
      return text.count
    }
    return index > start && add(value) ? index : nil
  }

  private mutating func add(_ group: UInt16) -> Bool {
    guard leftCount + rightCount < 8 else { return false }
    if hasGap {
      right.append(group)
      rightCount += 1
    } else {
      left.append(group)
      leftCount += 1
    }
    return true
  }
}

private enum IPv4Parser {
  /// Four decimal numbers below 256, without leading zeros.
  static func parse(_ text: Span<UInt8>) -> UInt32? {
    var address: UInt32 = 0
    var index = 0
    for octet in 0..<4 {
      if octet > 0 {
        guard index < text.count, text[index] == UInt8(ascii: ".") else { return nil }
        index += 1
      }
      let start = index
      var value: UInt32 = 0
      while index < text.count, index - start < 3, (0x30...0x39).contains(text[index]) {
        value = value * 10 + UInt32(text[index] - 0x30)
        index += 1
      }
      guard index > start, value < 256, index - start == 1 || text[start] != UInt8(ascii: "0") else { return nil }
      address = address << 8 | value
    }
    return index == text.count ? address : nil
  }
}
