import GatewayBase

extension AddressRange {
  /// - Throws: what is wrong with `text`.
  static func parse(_ text: String) throws(ValueFault) -> AddressRange {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(first) else {
      throw ValueFault("\(Quoted(text)) is not an address range", hint: "write it as 10.0.0.0/8 or fd00::/8")
    }
    let width = if case .v4 = address { 32 } else { 128 }
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
    guard range.address == range.aligned.address else {
      throw ValueFault("\(Quoted(text)) has bits set behind its prefix", hint: "write \(range.aligned)")
    }
    return range
  }

  /// The range that holds the address and whose bits behind the prefix are zero.
  private var aligned: AddressRange {
    switch address {
    case .v4(let value): AddressRange(address: .v4((value >> (32 - prefix)) << (32 - prefix)), prefix: prefix)
    case .v6(let value): AddressRange(address: .v6(value.masked(to: prefix)), prefix: prefix)
    }
  }
}

extension AddressRange: CustomStringConvertible {
  package var description: String { "\(address)/\(prefix)" }
}

extension ValueType where Value == AddressRange {
  static var addressRange: ValueType {
    .text("an address range such as 10.0.0.0/8", pattern: TextPattern.addressRange) { text throws(ValueFault) in
      try AddressRange.parse(text)
    }
  }
}
