import GatewayBase

/// The fields of one head, in the order received: made once for an event loop and filled anew for each head.
package struct FieldTable: ~Copyable {
  private var fields: FixedBuffer<Field>
  /// The first field of each known name; good where `seen` has the name's bit.
  private var firstIndices: FixedBuffer<UInt8>
  private var seen: UInt64 = 0
  private var repeated: UInt64 = 0
  /// Fields of the head.
  package private(set) var count = 0

  /// An empty table with room for `Limits.fields` fields.
  package init() {
    precondition(Limits.fields <= 256 && FieldName.allCases.count <= 64)
    let none = Field(name: .unknown, fieldClass: [], nameRange: 0..<0, valueRange: 0..<0)
    fields = FixedBuffer(repeating: none, count: Limits.fields)
    firstIndices = FixedBuffer(repeating: 0, count: 64)
  }

  /// The field at an index below `count`.
  package subscript(index: Int) -> Field {
    precondition(index < count)
    return fields[index]
  }

  /// All fields, for a walk without a call for each.
  package var all: Span<Field> {
    @_lifetime(borrow self)
    get { fields.prefix(count) }
  }

  /// The index of the first field of this name, which is not `unknown`.
  package func first(_ name: FieldName) -> Int? {
    has(name) ? Int(firstIndices[Int(name.rawValue)]) : nil
  }

  /// The only field of this name; nil where there is none or more than one.
  package func only(_ name: FieldName) -> Field? {
    guard let index = first(name), !isRepeated(name) else { return nil }
    return fields[index]
  }

  /// Whether there is a field of this name, which is not `unknown`.
  package func has(_ name: FieldName) -> Bool { seen & name.bit != 0 }

  /// Whether there are two or more fields of this name.
  package func isRepeated(_ name: FieldName) -> Bool { repeated & name.bit != 0 }

  /// How many fields of this name there are.
  package func count(of name: FieldName) -> Int {
    guard isRepeated(name) else { return has(name) ? 1 : 0 }
    var result = 0
    for index in 0..<count where fields[index].name == name { result += 1 }
    return result
  }

  /// Makes the table ready for another head.
  package mutating func removeAll() {
    count = 0
    seen = 0
    repeated = 0
  }

  /// Adds a field, or returns false where the table is full.
  @inline(__always)
  package mutating func append(_ field: Field) -> Bool {
    guard count < fields.count else { return false }
    fields[count] = field
    let bit = field.name.bit
    if seen & bit == 0 {
      seen |= bit
      firstIndices[Int(field.name.rawValue)] = UInt8(truncatingIfNeeded: count)
    } else {
      repeated |= bit
    }
    count &+= 1
    return true
  }

  mutating func nominate(_ index: Int) {
    precondition(index < count)
    fields[index].fieldClass.insert(.nominated)
  }
}

extension FieldName {
  /// This name in a set of names; none for `unknown`.
  @inline(__always)
  var bit: UInt64 { self == .unknown ? 0 : 1 << UInt64(rawValue & 63) }
}
