/// An address of IPv4 or IPv6.
package enum IPAddress: Sendable, Hashable {
  case v4([UInt8])
  case v6([UInt8])

  /// Reads `192.0.2.1` or `2001:db8::1` (no brackets, no zone): four decimal parts without leading zeros, or
  /// RFC 4291 section 2.2. Other spellings that `inet_aton` takes (octal, hex, fewer parts) are none.
  package init?(_ text: some StringProtocol) {
    if let bytes = Self.v4Bytes(text) {
      self = .v4(bytes)
    } else if let bytes = Self.v6Bytes(text) {
      self = .v6(bytes)
    } else {
      return nil
    }
  }

  package var bytes: [UInt8] {
    switch self {
    case .v4(let bytes), .v6(let bytes): bytes
    }
  }

  /// The IPv4 address inside an IPv4-mapped one (RFC 4291 section 2.5.5.2); else itself.
  package var unmapped: IPAddress { embedded(behind: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) ?? self }

  /// The IPv4 address that a NAT64 translator would connect to (RFC 6052), or nil.
  private var translated: IPAddress? { embedded(behind: [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)) }

  private func embedded(behind prefix: [UInt8]) -> IPAddress? {
    guard case .v6(let bytes) = self, bytes.starts(with: prefix) else { return nil }
    return .v4(Array(bytes.suffix(4)))
  }

  package var isLoopback: Bool {
    switch unmapped {
    case .v4(let bytes): bytes[0] == 127
    case .v6(let bytes): bytes == [UInt8](repeating: 0, count: 15) + [1]
    }
  }

  /// 169.254.0.0/16 and fe80::/10, where clouds keep the credentials of machines.
  package var isLinkLocal: Bool {
    switch translated ?? unmapped {
    case .v4(let bytes): bytes[0] == 169 && bytes[1] == 254
    case .v6(let bytes): bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
  }

  private static func v4Bytes(_ text: some StringProtocol) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    let bytes = parts.compactMap { part -> UInt8? in
      guard part.utf8.allSatisfy({ $0.isDigit }), part == "0" || !part.hasPrefix("0") else { return nil }
      return UInt8(part)
    }
    return bytes.count == 4 ? bytes : nil
  }

  private static func v6Bytes(_ text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.count <= 45, let gap = halves(String(text)) else { return nil }
    guard let head = groups(gap.head, isEnd: !gap.isCompressed), let tail = groups(gap.tail, isEnd: true) else {
      return nil
    }
    let missing = 16 - head.count - tail.count
    guard gap.isCompressed ? missing >= 2 : missing == 0 else { return nil }
    return head + [UInt8](repeating: 0, count: missing) + tail
  }

  /// The text before and behind its one `::`.
  private static func halves(_ text: String) -> (head: String, tail: String, isCompressed: Bool)? {
    let bytes = Array(text.utf8)
    let colon = UInt8(ascii: ":")
    let doubles = bytes.indices.dropLast().filter { bytes[$0] == colon && bytes[$0 + 1] == colon }
    guard let at = doubles.first else { return (text, "", false) }
    guard doubles.count == 1 else { return nil }
    return (
      String(decoding: bytes[..<at], as: UTF8.self), String(decoding: bytes[(at + 2)...], as: UTF8.self), true
    )
  }

  /// - Parameter isEnd: whether the text ends the address, where an IPv4 address may stand.
  private static func groups(_ text: String, isEnd: Bool) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if isEnd, index == parts.count - 1, part.contains("."), let tail = v4Bytes(part) {
        bytes += tail
        continue
      }
      guard (1...4).contains(part.utf8.count), !part.hasPrefix("+"), let group = UInt16(part, radix: 16) else {
        return nil
      }
      bytes += [UInt8(group >> 8), UInt8(truncatingIfNeeded: group)]
    }
    return bytes
  }
}

extension IPAddress: CustomStringConvertible {
  /// The canonical text (RFC 5952).
  package var description: String {
    switch self {
    case .v4(let bytes): return bytes.map(String.init).joined(separator: ".")
    case .v6(let bytes):
      let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
      guard let zeros = longestRunOfZeros(groups) else { return hex(groups[...]) }
      return hex(groups[..<zeros.lowerBound]) + "::" + hex(groups[zeros.upperBound...])
    }
  }

  private func hex(_ groups: ArraySlice<UInt16>) -> String {
    groups.map { String($0, radix: 16) }.joined(separator: ":")
  }

  /// The longest run of two or more; the first of equals.
  private func longestRunOfZeros(_ groups: [UInt16]) -> Range<Int>? {
    var best = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 { start = index + 1 } else if index + 1 - start > best.count { best = start..<(index + 1) }
    }
    return best.count >= 2 ? best : nil
  }
}
