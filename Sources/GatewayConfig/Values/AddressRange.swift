/// A range of addresses in CIDR notation: `10.0.0.0/8`, `fd00::/8`, or one address alone.
package struct AddressRange: Sendable, Hashable {
  /// The first address; IPv4-mapped ranges are kept as their IPv4 range, so that both spellings match alike.
  package let address: IPAddress
  /// The leading bits that count.
  package let prefix: Int

  package func contains(_ candidate: IPAddress) -> Bool {
    let bytes = candidate.unmapped.bytes
    guard bytes.count == address.bytes.count else { return false }
    return zip(bytes, address.bytes).enumerated().allSatisfy { index, pair in
      let bits = max(0, min(8, prefix - index * 8))
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
      return pair.0 & mask == pair.1 & mask
    }
  }

  /// - Throws: what is wrong with `text`.
  static func parse(_ text: String) throws(ValueFault) -> AddressRange {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(first) else {
      throw ValueFault("\(Quoted(text)) is not an address range", hint: "write it as 10.0.0.0/8 or fd00::/8")
    }
    let width = address.bytes.count * 8
    var prefix = width
    if parts.count == 2 {
      guard parts[1].utf8.allSatisfy({ $0.isDigit }), let bits = Int(parts[1]), bits <= width else {
        throw ValueFault("\(Quoted(text)) has a prefix that is none", hint: "write 0 to \(width) behind the slash")
      }
      prefix = bits
    }
    var range = AddressRange(address: address, prefix: prefix)
    if case .v4 = address.unmapped, width == 128, prefix >= 96 {
      range = AddressRange(address: address.unmapped, prefix: prefix - 96)
    }
    guard range.isAligned else {
      throw ValueFault("\(Quoted(text)) has bits set behind its prefix", hint: "write \(range.aligned)")
    }
    return range
  }

  private var alignedBytes: [UInt8] {
    address.bytes.enumerated().map { index, byte in
      byte & UInt8(truncatingIfNeeded: 0xFF00 >> max(0, min(8, prefix - index * 8)))
    }
  }

  private var isAligned: Bool { alignedBytes == address.bytes }

  private var aligned: String {
    let bytes = alignedBytes
    let first: IPAddress = bytes.count == 4 ? .v4(bytes) : .v6(bytes)
    return "\(first)/\(prefix)"
  }
}

extension ValueType where Value == AddressRange {
  static var addressRange: ValueType {
    .text("an address range such as 10.0.0.0/8") { text throws(ValueFault) in try AddressRange.parse(text) }
  }
}
