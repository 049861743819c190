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
    let names = FieldNameIndex.shared
    var position = start
    while position < head.count, head[position] != ByteClass.carriageReturn {
      position = try parseLine(head, from: position, names, into: &fields)
    }
    guard position &+ 2 == head.count, isLineEnd(head, position) else { throw .lineEnd }
  }

  /// Reads one line and returns where the next begins.
  @inline(__always)
  private static func parseLine(
    _ head: Span<UInt8>, from start: Int, _ names: FieldNameIndex, into fields: inout FieldTable
  ) throws(HeadFault) -> Int {
    let parser = FieldNameParser(head, from: start)
    let nameEnd = parser.end
    guard nameEnd > start, nameEnd < head.count, head[nameEnd] == UInt8(ascii: ":") else { throw .fieldName }
    let lineEnd = valueEnd(head, from: nameEnd &+ 1)
    guard isLineEnd(head, lineEnd) else {
      throw lineEnd < head.count && head[lineEnd] < 0x20 && head[lineEnd] != 0 ? .lineEnd : .fieldValue
    }
    let value = ((nameEnd &+ 1)..<lineEnd).trimmingBlanks(in: head)
    let (name, fieldClass) = parser.judgement(names)
    let field = Field(name: name, fieldClass: fieldClass, nameRange: start..<nameEnd, valueRange: value)
    guard fields.append(field) else { throw .tooManyFields }
    return lineEnd &+ 2
  }

  /// Where the first byte is that a value may not hold; the end of `head` where there is none.
  @inline(__always)
  static func valueEnd(_ head: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while true {
      position = head.firstPosition(from: position) { ByteWord.below(0x20, $0) | ByteWord.equal(0x7F, $0) }
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
