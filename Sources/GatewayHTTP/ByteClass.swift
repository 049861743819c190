/// The classes of single bytes that the grammars speak of.
enum ByteClass {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")

  /// A byte of a token (RFC 9110 section 5.6.2).
  @inline(__always)
  static func isToken(_ byte: UInt8) -> Bool { contains(byte, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

  /// A byte of a field value: visible, space, tab or obs-text (RFC 9110 section 5.5).
  @inline(__always)
  static func isFieldValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == tab }

  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  /// `A`–`Z` made `a`–`z`.
  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// `A`–`Z`, `a`–`z`, `0`–`9`, `-`, `.`, `_`, `~` (RFC 3986 section 2.3).
  @inline(__always)
  static func isUnreserved(_ byte: UInt8) -> Bool {
    contains(byte, low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
  }

  /// A byte that a target may hold outside a percent triplet: all of RFC 3986, that is visible ASCII without
  /// `"`, `#`, `%`, `<`, `>`, `\`, `^`, the back-tick, `{`, `|` and `}`.
  @inline(__always)
  static func isTarget(_ byte: UInt8) -> Bool {
    contains(byte, low: 0xAFFF_FFD2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFF)
  }

  /// Membership in a set of ASCII bytes, one bit each.
  @inline(__always)
  private static func contains(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
    guard byte < 0x80 else { return false }
    return (byte < 0x40 ? low : high) >> UInt64(byte & 0x3F) & 1 == 1
  }
}
