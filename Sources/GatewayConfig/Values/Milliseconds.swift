/// A length of time in whole milliseconds, written `250ms`, `30s`, `5m`, `2h` or `7d`.
package struct Milliseconds: Sendable, Hashable, Comparable, CustomStringConvertible {
  package let count: Int64

  package init(_ count: Int64) { self.count = count }

  package static func seconds(_ count: Int64) -> Milliseconds { Milliseconds(count * 1000) }
  package static func minutes(_ count: Int64) -> Milliseconds { .seconds(count * 60) }
  package static func days(_ count: Int64) -> Milliseconds { .seconds(count * 86_400) }

  /// Whole seconds, rounded down.
  package var seconds: Int64 { count / 1000 }

  package static func < (a: Milliseconds, b: Milliseconds) -> Bool { a.count < b.count }

  package var description: String {
    let unit = Self.units.last { count != 0 && count.isMultiple(of: $0.milliseconds) } ?? Self.units[1]
    return "\(count / unit.milliseconds)\(unit.suffix)"
  }

  fileprivate static let units: [(suffix: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  /// - Throws: what is wrong with `text`.
  static func parse(_ text: String) throws(ValueFault) -> Milliseconds {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let suffix = text.dropFirst(digits.count)
    guard !digits.isEmpty, !suffix.isEmpty else {
      let hint =
        digits.isEmpty ? "write a duration such as 250ms, 30s, 5m, 2h or 7d" : "add the unit: \(digits)s or \(digits)ms"
      throw ValueFault("\(Quoted(text)) is not a duration", hint: hint)
    }
    guard let unit = units.first(where: { $0.suffix == suffix }), digits.count == 1 || !digits.hasPrefix("0") else {
      throw ValueFault("\(Quoted(text)) is not a duration", hint: "write it as 250ms, 30s, 5m, 2h or 7d")
    }
    let (milliseconds, overflows) = (Int64(digits) ?? .max).multipliedReportingOverflow(by: unit.milliseconds)
    guard !overflows else { throw ValueFault("\(Quoted(text)) is too long a time", hint: nil) }
    return Milliseconds(milliseconds)
  }
}

extension ValueType where Value == Milliseconds {
  static func duration(_ range: ClosedRange<Milliseconds>) -> ValueType {
    let pattern = TextPattern.quantity(
      range.lowerBound.count...range.upperBound.count,
      units: Milliseconds.units.map { ($0.suffix, $0.milliseconds) })
    return .text("a duration such as 250ms, 30s, 5m or 7d", pattern: pattern) { text throws(ValueFault) in
      let value = try Milliseconds.parse(text)
      guard range.contains(value) else {
        throw ValueFault("\(Quoted(text)) is out of range", hint: "write \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    }
  }
}
