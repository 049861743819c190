/// Up to 32 bytes of text in four words: what the parsers compare instead of strings.
///
/// Bytes are packed in little-endian order and padded with zero, so two texts are equal where their words and
/// counts are. Of a longer text only the first 32 bytes are kept; its count keeps it apart from all shorter ones.
struct PackedText: Equatable {
  static let capacity = 32

  private(set) var word0: UInt64 = 0
  private(set) var word1: UInt64 = 0
  private(set) var word2: UInt64 = 0
  private(set) var word3: UInt64 = 0
  private(set) var count = 0

  @inline(__always)
  init() {}

  /// A text known beforehand; at most 32 bytes.
  init(_ text: String) {
    precondition(text.utf8.count <= Self.capacity)
    for byte in text.utf8 { append(byte) }
  }

  /// The bytes in `range`, as they are.
  @inline(__always)
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var position = range.lowerBound
    while position < range.upperBound {
      let kept = min(8, range.upperBound - position)
      append(word: bytes.paddedWord(at: position), count: kept)
      position += kept
    }
  }

  /// The bytes in `range` with `A`–`Z` made `a`–`z`.
  @inline(__always)
  init(lowercasing bytes: Span<UInt8>, _ range: Range<Int>) {
    var position = range.lowerBound
    while position < range.upperBound {
      let kept = min(8, range.upperBound - position)
      append(word: ByteWord.lowercased(bytes.paddedWord(at: position)), count: kept)
      position += kept
    }
  }

  /// The bytes from `start` for as long as they are letters, digits or `-`, in lower case.
  @inline(__always)
  init(plainName bytes: Span<UInt8>, from start: Int) {
    count = Self.readPlainName(bytes, at: start, into: &word0)
    guard count == 8 else { return }
    count = 8 &+ Self.readPlainName(bytes, at: start &+ 8, into: &word1)
    guard count == 16 else { return }
    count = 16 &+ Self.readPlainName(bytes, at: start &+ 16, into: &word2)
    guard count == 24 else { return }
    count = 24 &+ Self.readPlainName(bytes, at: start &+ 24, into: &word3)
    var beyond: UInt64 = 0
    while count & 7 == 0 {
      let more = Self.readPlainName(bytes, at: start &+ count, into: &beyond)
      guard more > 0 else { return }
      count &+= more
    }
  }

  @inline(__always)
  private static func readPlainName(_ bytes: Span<UInt8>, at position: Int, into word: inout UInt64) -> Int {
    let read = bytes.paddedWord(at: position)
    let stops = ByteWord.notPlainName(read)
    // All bits below the first stop's byte; all there are where there is no stop.
    let kept = ((stops & (0 &- stops)) >> 7) &- 1
    // Letters, digits and `-` are all that is kept, so one bit makes lower case.
    word = (read | (ByteWord.ones &* 0x20)) & kept
    return stops.trailingZeroBitCount >> 3
  }

  /// Appends the low `kept` bytes of `word`; only ever called when all earlier words are full.
  @inline(__always)
  mutating func append(word: UInt64, count kept: Int) {
    let word = kept == 8 ? word : word & ((1 << UInt64(truncatingIfNeeded: kept &* 8)) &- 1)
    switch count {
    case 0: word0 = word
    case 8: word1 = word
    case 16: word2 = word
    case 24: word3 = word
    default: break
    }
    count &+= kept
  }

  /// Whether it is a text known beforehand, of at most 32 bytes: unlike a global of this type, one costs no call to see
  /// whether it is made yet.
  @inline(__always)
  func equals(_ known: StaticString) -> Bool {
    count == known.utf8CodeUnitCount && word0 == ByteWord.text(known) && word1 == ByteWord.text(known, from: 8)
      && word2 == ByteWord.text(known, from: 16) && word3 == ByteWord.text(known, from: 24)
  }

  mutating func append(_ byte: UInt8) {
    let bits = UInt64(byte) << UInt64(truncatingIfNeeded: (count & 7) * 8)
    switch count >> 3 {
    case 0: word0 |= bits
    case 1: word1 |= bits
    case 2: word2 |= bits
    case 3: word3 |= bits
    default: break
    }
    count &+= 1
  }

  /// Whether the first bytes are those of `prefix`, which is of 16 bytes at most.
  @inline(__always)
  func hasPrefix(_ prefix: PackedText) -> Bool {
    guard count >= prefix.count else { return false }
    if prefix.count <= 8 { return (word0 ^ prefix.word0) & Self.mask(prefix.count) == 0 }
    return word0 == prefix.word0 && (word1 ^ prefix.word1) & Self.mask(prefix.count &- 8) == 0
  }

  @inline(__always)
  private static func mask(_ count: Int) -> UInt64 {
    count >= 8 ? ~0 : (1 << UInt64(truncatingIfNeeded: count &* 8)) &- 1
  }
}
