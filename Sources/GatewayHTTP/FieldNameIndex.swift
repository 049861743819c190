import GatewayBase

/// Finds known names by their text, in a table of hashes that is made once.
///
/// Not copyable, so that a look-up never copies the table.
struct FieldNameIndex: ~Copyable, Sendable {
  static let shared = FieldNameIndex()

  private struct Entry: BitwiseCopyable, Sendable {
    var text = PackedText()
    var name = FieldName.unknown
    var fieldClass: FieldClass = []
  }

  private var entries = FixedBuffer(repeating: Entry(), count: 256)

  private init() {
    for (spelling, name) in FieldName.spellings {
      let text = PackedText(spelling)
      var slot = Self.slot(text)
      while entries[slot].text.count != 0 {
        precondition(entries[slot].text != text, "a field name is listed twice")
        slot = (slot + 1) & 255
      }
      entries[slot] = Entry(text: text, name: name, fieldClass: name.fieldClass)
    }
  }

  /// The name and class of a folded name in lower case.
  @inline(__always)
  func judge(_ text: PackedText) -> (FieldName, FieldClass) {
    var slot = Self.slot(text)
    while entries[slot].text.count != 0 {
      if entries[slot].text == text { return (entries[slot].name, entries[slot].fieldClass) }
      slot = (slot &+ 1) & 255
    }
    return (.unknown, Self.classByPrefix(text))
  }

  @inline(__always)
  private static func classByPrefix(_ text: PackedText) -> FieldClass {
    // "x-" in little-endian order.
    guard text.word0 & 0xFFFF == 0x2D78 else { return [] }
    if text.word0 == ByteWord.text("x-speed-") { return .speed }
    let isForwarded = text.word0 == ByteWord.text("x-forwar") && text.word1 & 0xFF_FFFF == ByteWord.text("ded")
    return isForwarded ? .forwarding : []
  }

  @inline(__always)
  private static func slot(_ text: PackedText) -> Int {
    let mixed =
      text.word0 ^ text.word1 &* 31 ^ text.word2 &* 131 ^ text.word3 &* 523 ^ UInt64(truncatingIfNeeded: text.count)
    return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }
}
