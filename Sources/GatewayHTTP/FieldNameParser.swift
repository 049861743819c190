/// A field name as read from a head: where it ends and what it is.
struct FieldNameParser {
  private(set) var text = PackedText()
  /// Whether a byte other than a letter, a digit or `-` was folded to `-`.
  private(set) var isDisguised = false

  /// Reads a name that begins at `start` and ends before a byte that is no token byte, and returns where that is.
  ///
  /// The usual name is read eight bytes at a time; one with an odd byte is read again, byte by byte.
  @inline(__always)
  mutating func parse(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while true {
      let word = bytes.paddedWord(at: position)
      let stops = ByteWord.notPlainName(word)
      // Letters, digits and `-` are all that is packed, so one bit makes lower case.
      let lowered = word | (ByteWord.ones &* 0x20)
      if stops == 0 {
        text.append(word: lowered, count: 8)
        position &+= 8
        continue
      }
      let kept = ByteWord.position(stops)
      text.append(word: lowered, count: kept)
      position &+= kept
      guard position < bytes.count, ByteClass.isToken(bytes[position]) else { return position }
      return parseDisguised(bytes, from: start)
    }
  }

  /// The name and class of what was read: the one place that judges names, for HTTP/1.1 and HTTP/2.
  @inline(__always)
  func judgement(_ names: FieldNameIndex) -> (FieldName, FieldClass) {
    let (name, fieldClass) = names.judge(text)
    guard isDisguised else { return (name, fieldClass) }
    return (.unknown, name == .unknown ? fieldClass : fieldClass.union(.framing))
  }

  @inline(never)
  private mutating func parseDisguised(_ bytes: Span<UInt8>, from start: Int) -> Int {
    text = PackedText()
    isDisguised = true
    var position = start
    while position < bytes.count, ByteClass.isToken(bytes[position]) {
      text.append(Self.folded(bytes[position]))
      position += 1
    }
    return position
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    switch byte {
    case 0x61...0x7A, 0x30...0x39: byte
    case 0x41...0x5A: byte | 0x20
    default: UInt8(ascii: "-")
    }
  }
}

extension FieldName {
  /// What a whole name is and what the header policy says of it; nil where it is empty or no token.
  package static func judge(_ name: Span<UInt8>) -> (name: FieldName, fieldClass: FieldClass)? {
    var parser = FieldNameParser()
    let end = parser.parse(name, from: 0)
    guard end == name.count, end > 0 else { return nil }
    return parser.judgement(.shared)
  }
}
