/// A field name of any bytes: where it ends and what it is.
struct FieldNameParser {
  /// The name folded, in lower case.
  private let text: PackedText
  /// Whether a byte other than a letter, a digit or `-` was folded to `-`.
  private let isDisguised: Bool
  /// Where the first byte is that is no token byte; the end of the bytes where there is none.
  let end: Int

  /// Reads a name that begins at `start`.
  init(_ bytes: Span<UInt8>, from start: Int) {
    let text = PackedText(plainName: bytes, from: start)
    let position = start + text.count
    if position < bytes.count, ByteClass.isToken(bytes[position]) {
      self = FieldNameParser(disguised: bytes, from: start)
    } else {
      self.text = text
      isDisguised = false
      end = position
    }
  }

  private init(disguised bytes: Span<UInt8>, from start: Int) {
    var text = PackedText()
    var position = start
    while position < bytes.count, ByteClass.isToken(bytes[position]) {
      text.append(Self.folded(bytes[position]))
      position += 1
    }
    self.text = text
    isDisguised = true
    end = position
  }

  /// The name and class of what was read: the one place that judges names, for HTTP/1.1 and HTTP/2.
  func judgement(_ names: borrowing FieldNameIndex) -> (name: FieldName, fieldClass: FieldClass) {
    let (name, fieldClass) = names.judge(text)
    guard isDisguised else { return (name, fieldClass) }
    return (.unknown, name == .unknown ? fieldClass : fieldClass.union(.framing))
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
    let parser = FieldNameParser(name, from: 0)
    guard parser.end == name.count, parser.end > 0 else { return nil }
    return parser.judgement(FieldNameIndex.shared)
  }
}
