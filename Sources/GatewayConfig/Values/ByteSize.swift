/// A number of bytes, written `512B`, `64KiB`, `10MiB` or `2GiB`.
package struct ByteSize: Sendable, Hashable, Comparable, CustomStringConvertible {
  package let bytes: Int

  package init(bytes: Int) { self.bytes = bytes }

  package static func kibibytes(_ count: Int) -> ByteSize { ByteSize(bytes: count << 10) }
  package static func mebibytes(_ count: Int) -> ByteSize { ByteSize(bytes: count << 20) }
  package static func gibibytes(_ count: Int) -> ByteSize { ByteSize(bytes: count << 30) }

  package static func < (a: ByteSize, b: ByteSize) -> Bool { a.bytes < b.bytes }

  package var description: String {
    let unit = Self.units.last { bytes != 0 && bytes.isMultiple(of: $0.bytes) } ?? Self.units[0]
    return "\(bytes / unit.bytes)\(unit.suffix)"
  }

  fileprivate static let units: [(suffix: String, bytes: Int)] = [
    ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
  ]

  /// - Throws: what is wrong with `text`.
  static func parse(_ text: String) throws(ValueFault) -> ByteSize {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let suffix = text.dropFirst(digits.count)
    guard !digits.isEmpty, digits.count == 1 || !digits.hasPrefix("0"),
      let unit = units.first(where: { $0.suffix == suffix })
    else {
      throw ValueFault("\(Quoted(text)) is not a size", hint: hint(digits: digits, suffix: suffix))
    }
    let (bytes, overflows) = (Int(digits) ?? .max).multipliedReportingOverflow(by: unit.bytes)
    guard !overflows else { throw ValueFault("\(Quoted(text)) is too large a size", hint: nil) }
    return ByteSize(bytes: bytes)
  }

  private static func hint(digits: Substring, suffix: Substring) -> String {
    let example = "write it as 512B, 64KiB or 10MiB"
    guard !digits.isEmpty, !digits.hasPrefix("0") else { return example }
    switch suffix.first?.lowercased() {
    case nil: return "add the unit: \(digits)B, \(digits)KiB or \(digits)MiB"
    case "k": return "write \(digits)KiB"
    case "m": return "write \(digits)MiB"
    case "g": return "write \(digits)GiB"
    default: return example
    }
  }
}

extension ValueType where Value == ByteSize {
  static func size(_ range: ClosedRange<ByteSize>) -> ValueType {
    let pattern = TextPattern.quantity(
      Int64(range.lowerBound.bytes)...Int64(range.upperBound.bytes),
      units: ByteSize.units.map { ($0.suffix, Int64($0.bytes)) })
    return .text("a size such as 64KiB or 10MiB", pattern: pattern) { text throws(ValueFault) in
      let value = try ByteSize.parse(text)
      guard range.contains(value) else {
        throw ValueFault("\(Quoted(text)) is out of range", hint: "write \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    }
  }
}
