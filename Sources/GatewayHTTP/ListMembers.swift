/// Walks the members of a comma-separated list (RFC 9110 section 5.6.1), empty ones left out.
struct ListMembers {
  private var rest: Range<Int>

  init(_ value: Range<Int>) { rest = value }

  /// The next member, without the blanks around it.
  mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
    while !rest.isEmpty {
      var end = rest.lowerBound
      while end < rest.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
      let member = (rest.lowerBound..<end).trimmingBlanks(in: bytes)
      rest = min(end + 1, rest.upperBound)..<rest.upperBound
      if !member.isEmpty { return member }
    }
    return nil
  }
}

extension Range<Int> {
  /// This range of `bytes` without the spaces and tabs at both ends.
  @inline(__always)
  func trimmingBlanks(in bytes: Span<UInt8>) -> Range<Int> {
    var start = lowerBound
    var end = upperBound
    while start < end, ByteClass.isBlank(bytes[start]) { start &+= 1 }
    while end > start, ByteClass.isBlank(bytes[end &- 1]) { end &-= 1 }
    return start..<end
  }

  func isToken(in bytes: Span<UInt8>) -> Bool {
    for index in self where !ByteClass.isToken(bytes[index]) { return false }
    return !isEmpty
  }
}
