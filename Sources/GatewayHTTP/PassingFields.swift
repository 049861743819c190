/// Walks the fields of a head that go on to the other side, in runs: lines that stand together and are written as the
/// gateway writes them are copied at once.
package struct PassingFields {
  /// What is copied next.
  package enum Run {
    /// Whole lines, each with its CRLF.
    case lines(Range<Int>)
    /// One field whose line is to be written anew.
    case field(name: Range<Int>, value: Range<Int>)
  }

  private let stopping: FieldClass
  private var heldBack: UInt64
  private var next = 0

  /// - Parameters:
  ///   - stopping: what the policy stops (see `HeaderPolicy`).
  ///   - name: one that it stops besides; `unknown` for none.
  init(stopping: FieldClass, and name: FieldName = .unknown) {
    self.stopping = stopping
    heldBack = name.bit
  }

  /// Stops the fields of this name too.
  package mutating func holdBack(_ name: FieldName) { heldBack |= name.bit }

  /// The next run of `fields`; nil after the last. All calls of one walk get the same table.
  package mutating func nextRun(_ fields: borrowing FieldTable) -> Run? {
    while next < fields.count, !passes(fields[next]) { next &+= 1 }
    guard next < fields.count else { return nil }
    let first = fields[next]
    next &+= 1
    guard first.isRegular else { return .field(name: first.nameRange, value: first.valueRange) }
    var end = first.lineEnd
    while next < fields.count, fields[next].isRegular, passes(fields[next]) {
      // What is left out between two fields, or lies in another place, parts the runs.
      guard Int(fields[next].nameStart) == end else { break }
      end = fields[next].lineEnd
      next &+= 1
    }
    return .lines(Int(first.nameStart)..<end)
  }

  @inline(__always)
  func passes(_ field: Field) -> Bool { field.fieldClass.isDisjoint(with: stopping) && heldBack & field.name.bit == 0 }
}

extension Field {
  /// Where the line of a regular field ends.
  @inline(__always)
  fileprivate var lineEnd: Int { Int(valueStart) &+ Int(valueCount) &+ 2 }
}
