/// One field line: where its name and value are in the head, and what they mean.
package struct Field: Sendable, BitwiseCopyable {
  /// Offset and bytes of the name as received.
  package let nameStart, nameCount: UInt16
  /// Offset and bytes of the value without the blanks around it.
  package let valueStart, valueCount: UInt16
  /// `unknown` too where the name only passes for a known one.
  package let name: FieldName
  /// What the header policy says of it.
  package internal(set) var fieldClass: FieldClass

  /// Whether its line is written as the gateway writes it: one space before the value, CRLF right after it.
  package let isRegular: Bool

  /// A field of a head of less than 65,536 bytes, which every head is.
  package init(
    name: FieldName, fieldClass: FieldClass, nameRange: Range<Int>, valueRange: Range<Int>, isRegular: Bool = false
  ) {
    self.name = name
    self.fieldClass = fieldClass
    nameStart = UInt16(truncatingIfNeeded: nameRange.lowerBound)
    nameCount = UInt16(truncatingIfNeeded: nameRange.count)
    valueStart = UInt16(truncatingIfNeeded: valueRange.lowerBound)
    valueCount = UInt16(truncatingIfNeeded: valueRange.count)
    self.isRegular = isRegular
  }

  /// Where the name is in the head.
  package var nameRange: Range<Int> { Int(nameStart)..<(Int(nameStart) + Int(nameCount)) }

  /// Where the value is in the head.
  package var valueRange: Range<Int> { Int(valueStart)..<(Int(valueStart) + Int(valueCount)) }
}
