/// What is wrong with a head, apart from what its fields say.
enum HeadFault: Error {
  case lineEnd
  case startLine
  case fieldName
  case fieldValue
  case tooManyFields
}

/// Reads the field lines of a head (RFC 9112 section 5).
enum FieldSection {
  /// Reads from `start` to the empty line, which must end `head`.
  ///
  /// Refused: a name that is no token (a blank before the colon, a folded line), a control character in a value,
  /// a line end other than CRLF.
  static func parse(_ head: Span<UInt8>, from start: Int, into fields: inout FieldTable) throws(HeadFault) {
    guard try parsePrefix(head, from: start, into: &fields) == head.count else { throw .lineEnd }
  }

  /// The same, where other bytes may follow the empty line: returns where that ends.
  static func parsePrefix(
    _ bytes: Span<UInt8>, from start: Int, into fields: inout FieldTable
  ) throws(HeadFault) -> Int {
    try parse(bytes, from: start, FieldNameIndex.shared, into: &fields)
  }

  private static func parse(
    _ head: Span<UInt8>, from start: Int, _ names: borrowing FieldNameIndex, into fields: inout FieldTable
  ) throws(HeadFault) -> Int {
    var position = start
    while position < head.count, head[position] != ByteClass.carriageReturn {
      // Nearly all names are plain, and are judged as they were read.
      let text = PackedText(plainName: head, from: position)
      let nameEnd = position &+ text.count
      if nameEnd > position, nameEnd < head.count, head[nameEnd] == UInt8(ascii: ":") {
        let (name, fieldClass) = names.judge(text)
        position = try addLine(position..<nameEnd, name, fieldClass, head, into: &fields)
      } else {
        position = try addUnusualLine(head, from: position, names, into: &fields)
      }
    }
    guard isLineEnd(head, position) else { throw .lineEnd }
    return position &+ 2
  }

  @inline(never)
  private static func addUnusualLine(
    _ head: Span<UInt8>, from start: Int, _ names: borrowing FieldNameIndex, into fields: inout FieldTable
  ) throws(HeadFault) -> Int {
    let parser = FieldNameParser(head, from: start)
    guard parser.end > start, parser.end < head.count, head[parser.end] == UInt8(ascii: ":") else { throw .fieldName }
    let (name, fieldClass) = parser.judgement(names)
    return try addLine(start..<parser.end, name, fieldClass, head, into: &fields)
  }

  /// Reads what follows a name and returns where the next line begins.
  @inline(__always)
  private static func addLine(
    _ nameRange: Range<Int>, _ name: FieldName, _ fieldClass: FieldClass, _ head: Span<UInt8>,
    into fields: inout FieldTable
  ) throws(HeadFault) -> Int {
    let valueStart = nameRange.upperBound &+ 1
    let lineEnd = valueEnd(head, from: valueStart)
    guard isLineEnd(head, lineEnd) else {
      throw lineEnd < head.count && head[lineEnd] < 0x20 && head[lineEnd] != 0 ? .lineEnd : .fieldValue
    }
    let value = (valueStart..<lineEnd).trimmingBlanks(in: head)
    let isRegular =
      value.lowerBound == valueStart &+ 1 && value.upperBound == lineEnd && head[valueStart] == ByteClass.space
    let field = Field(name: name, fieldClass: fieldClass, nameRange: nameRange, valueRange: value, isRegular: isRegular)
    guard fields.append(field) else { throw .tooManyFields }
    return lineEnd &+ 2
  }

  /// Where the first byte is that a value may not hold; the end of `head` where there is none.
  @inline(__always)
  static func valueEnd(_ head: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while true {
      position = head.firstPosition(from: position, below: 0x20, orDelete: true)
      guard position < head.count, head[position] == ByteClass.tab else { return position }
      position &+= 1
    }
  }

  @inline(__always)
  static func isLineEnd(_ head: Span<UInt8>, _ position: Int) -> Bool {
    position &+ 1 < head.count && head[position] == ByteClass.carriageReturn
      && head[position &+ 1] == ByteClass.lineFeed
  }
}
