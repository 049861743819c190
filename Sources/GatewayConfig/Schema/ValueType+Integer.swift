import GatewayBase

extension ValueType where Value == Int64 {
  /// A plain decimal within `range`: nothing that YAML or a reader could take for another number.
  static func integer(_ range: ClosedRange<Int64>) -> ValueType {
    ValueType(shape: .integer(range)) { node, diagnostics in
      guard let (text, isPlain) = diagnostics.scalar(node, due: "a whole number") else { return nil }
      guard isPlain else {
        let hint = isPlainDecimal(text) ? "write \(text), without quotes" : "write a plain decimal, without quotes"
        diagnostics.invalid(node.place, "a bare number is due, not a text in quotes", hint: hint)
        return nil
      }
      guard isPlainDecimal(text) else {
        let hint = plainDecimal(meantBy: text).map { "write \($0)" } ?? "write a plain decimal such as 80"
        diagnostics.invalid(node.place, "\(Quoted(text)) is not a plain decimal number", hint: hint)
        return nil
      }
      guard let value = Int64(text), range.contains(value) else {
        diagnostics.invalid(
          node.place, "\(Quoted(text)) is out of range", hint: "write \(range.lowerBound) to \(range.upperBound)")
        return nil
      }
      return value
    }
  }
}

/// `0`, or digits without a leading zero, perhaps behind a minus.
private func isPlainDecimal(_ text: String) -> Bool {
  let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
  guard let first = digits.utf8.first, digits.utf8.allSatisfy({ $0.isDigit }) else { return false }
  return first != UInt8(ascii: "0") || (digits.utf8.count == 1 && text == digits)
}

/// The number that a writer likely meant by a spelling that we refuse, for the hint alone: `0123`, `8_080`, `1:30`
/// (minutes and seconds of YAML 1.1), `0x50`, `80.0`, `1e3`, `+5`.
private func plainDecimal(meantBy text: String) -> Int64? {
  let lowered = text.lowercased().filter { $0 != "_" }
  let unsigned = lowered.hasPrefix("+") ? String(lowered.dropFirst()) : lowered
  for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where unsigned.hasPrefix(prefix) {
    return Int64(unsigned.dropFirst(2), radix: radix)
  }
  if unsigned.holds(":") {
    return unsigned.split(separator: ":", omittingEmptySubsequences: false).reduce(Int64?(0)) { total, part in
      guard let total, let digit = Int64(part), (0..<60).contains(digit) || total == 0, total < 1 << 40, digit >= 0
      else { return nil }
      return total * 60 + digit
    }
  }
  if let value = Int64(unsigned) { return value }
  guard unsigned.contains(where: { $0 == "." || $0 == "e" }), let number = Double(unsigned), number.magnitude < 1e15
  else { return nil }
  return Int64(exactly: number)
}
