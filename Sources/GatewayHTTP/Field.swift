/// One field line: where its name and value are in the head, and what they mean.
package struct Field: Sendable, BitwiseCopyable {
  /// Offset and bytes of the name as received.
  package let nameStart, nameCount: UInt16
  /// Offset and bytes of the value without the blanks around it.
  package let valueStart, valueCount: UInt16
  package let name: FieldName
  package internal(set) var fieldClass: FieldClass

  /// - Parameter position: offsets below 65,536, which every head's are.
  package init(name: FieldName, fieldClass: FieldClass, nameRange: Range<Int>, valueRange: Range<Int>) {
    self.name = name
    self.fieldClass = fieldClass
    nameStart = UInt16(truncatingIfNeeded: nameRange.lowerBound)
    nameCount = UInt16(truncatingIfNeeded: nameRange.count)
    valueStart = UInt16(truncatingIfNeeded: valueRange.lowerBound)
    valueCount = UInt16(truncatingIfNeeded: valueRange.count)
  }

  package var nameRange: Range<Int> { Int(nameStart)..<(Int(nameStart) + Int(nameCount)) }

  package var valueRange: Range<Int> { Int(valueStart)..<(Int(valueStart) + Int(valueCount)) }
}
