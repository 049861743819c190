/// Eight bytes at a time: tests that look at all bytes of a word at once.
///
/// Each mask has the top bit of a byte set where the test holds for it. Bytes are in little-endian order, so the
/// lowest set bit belongs to the first byte in the text.
enum ByteWord {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let tops: UInt64 = 0x8080_8080_8080_8080

  /// Where a byte is below `limit` (at most 0x80). Exact up to the first hit, which is all that callers use.
  @inline(__always)
  static func below(_ limit: UInt64, _ word: UInt64) -> UInt64 { (word &- ones &* limit) & ~word & tops }

  /// Where a byte is `value`. Exact up to the first hit.
  @inline(__always)
  static func equal(_ value: UInt64, _ word: UInt64) -> UInt64 {
    let difference = word ^ (ones &* value)
    return (difference &- ones) & ~difference & tops
  }

  /// Where a byte is none of `A`–`Z`, `a`–`z`, `0`–`9`, `-`: the bytes of all usual field names. Exact.
  @inline(__always)
  static func notPlainName(_ word: UInt64) -> UInt64 {
    let low = word & ~tops
    let folded = low | (ones &* 0x20)
    let letter = (folded &+ ones &* 0x1F) & ~(folded &+ ones &* 0x05)
    let digit = (low &+ ones &* 0x50) & ~(low &+ ones &* 0x46)
    let dash = ~((low ^ (ones &* 0x2D)) &+ ones &* 0x7F)
    return ~(letter | digit | dash) & tops | (word & tops)
  }

  /// `word` with `A`–`Z` made `a`–`z`. Exact.
  @inline(__always)
  static func lowercased(_ word: UInt64) -> UInt64 {
    let low = word & ~tops
    let upper = (low &+ ones &* 0x3F) & ~(low &+ ones &* 0x25) & ~word & tops
    return word | upper >> 2
  }

  /// `below`, with `equal` to DEL where `orDelete` says so, on two words at once.
  @inline(__always)
  static func stops(_ words: SIMD2<UInt64>, below limit: UInt64, orDelete: Bool) -> SIMD2<UInt64> {
    // Operations on two vectors of one type are single instructions; those with a number are loops.
    let ones = SIMD2(repeating: ones)
    let mask = (words &- SIMD2(repeating: self.ones &* limit)) & ~words
    guard orDelete else { return mask & SIMD2(repeating: tops) }
    let difference = words ^ SIMD2(repeating: self.ones &* 0x7F)
    return (mask | (difference &- ones) & ~difference) & SIMD2(repeating: tops)
  }

  /// The bytes of a text of ASCII from `start` on, eight at most, as `Span.paddedWord` reads them: a constant once
  /// compiled.
  @inline(__always)
  static func text(_ text: StaticString, from start: Int = 0) -> UInt64 {
    var word: UInt64 = 0
    var index = Swift.min(start &+ 8, text.utf8CodeUnitCount)
    while index > start {
      index &-= 1
      word = unsafe word << 8 | UInt64(text.utf8Start[index])
    }
    return word
  }

  /// How many bytes come before the first hit of a mask that is not zero.
  @inline(__always)
  static func position(_ mask: UInt64) -> Int { mask.trailingZeroBitCount >> 3 }
}

extension Span where Element == UInt8 {
  /// The eight bytes from `position`, of which those beyond the end are zero.
  @inline(__always)
  func paddedWord(at position: Int) -> UInt64 {
    count &- position >= 8 ? word(at: position) : lastWord(at: position)
  }

  /// The eight bytes from `position`; all of them must be there.
  @inline(__always)
  func word(at position: Int) -> UInt64 {
    // Bounds are checked by the load; the type is safe, as every pattern of bits is a number.
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// The sixteen bytes from `position` as two words; all of them must be there.
  @inline(__always)
  private func pair(at position: Int) -> SIMD2<UInt64> {
    // Bounds are checked by the load; the type is safe, as every pattern of bits is a pair of numbers.
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: position, as: SIMD2<UInt64>.self)
  }

  @inline(never)
  private func lastWord(at position: Int) -> UInt64 {
    let left = count &- position
    // The last eight bytes, without those before the position.
    if count >= 8, left > 0 { return word(at: count &- 8) >> UInt64(truncatingIfNeeded: (8 &- left) &* 8) }
    var word: UInt64 = 0
    var index = count
    while index > position {
      index -= 1
      word = word << 8 | UInt64(self[index])
    }
    return word
  }

  /// The position of the first byte from `start` on that `stops` marks; `count` where there is none.
  ///
  /// - Parameter stops: a test of eight bytes, exact up to its first hit.
  @inline(__always)
  func firstPosition(from start: Int, where stops: (UInt64) -> UInt64) -> Int {
    var position = start
    while count &- position >= 16 {
      let first = stops(word(at: position))
      if first != 0 { return position &+ ByteWord.position(first) }
      let second = stops(word(at: position &+ 8))
      if second != 0 { return position &+ 8 &+ ByteWord.position(second) }
      position &+= 16
    }
    while position < count {
      let hits = stops(paddedWord(at: position))
      if hits != 0 { return Swift.min(position &+ ByteWord.position(hits), count) }
      position &+= 8
    }
    return count
  }

  /// The position of the first byte from `start` on that can't stand in a JSON string of plain ASCII as it is: a control
  /// character, a quotation mark, a backslash, or what is beyond ASCII; `count` where there is none.
  package func firstNotPlain(from start: Int) -> Int {
    firstPosition(from: start) { word in
      ByteWord.below(0x20, word) | (word & ByteWord.tops) | ByteWord.equal(0x7F, word) | ByteWord.equal(0x22, word)
        | ByteWord.equal(0x5C, word)
    }
  }

  /// The position of the first byte from `start` on that is below `limit` (at most 0x80), or DEL where `orDelete` says
  /// so; `count` where there is none.
  @inline(__always)
  func firstPosition(from start: Int, below limit: UInt64, orDelete: Bool = false) -> Int {
    var position = start
    while count &- position >= 32 {
      let first = ByteWord.stops(pair(at: position), below: limit, orDelete: orDelete)
      let second = ByteWord.stops(pair(at: position &+ 16), below: limit, orDelete: orDelete)
      let either = first | second
      if either[0] | either[1] != 0 {
        if first[0] != 0 { return position &+ ByteWord.position(first[0]) }
        if first[1] != 0 { return position &+ 8 &+ ByteWord.position(first[1]) }
        if second[0] != 0 { return position &+ 16 &+ ByteWord.position(second[0]) }
        return position &+ 24 &+ ByteWord.position(second[1])
      }
      position &+= 32
    }
    return firstPosition(from: position) { word in
      let low = ByteWord.below(limit, word)
      return orDelete ? low | ByteWord.equal(0x7F, word) : low
    }
  }
}
