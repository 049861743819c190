/// A SHA-256 digest (FIPS 180-4) as four words: compared and hashed as a table's key without an allocation.
package struct SHA256Digest: Hashable, Sendable {
  /// The first eight bytes, big-endian: already uniform, so a table may index by it.
  package let first: UInt64
  private let second: UInt64
  private let third: UInt64
  private let fourth: UInt64

  init(bigEndianWords words: (UInt64, UInt64, UInt64, UInt64)) {
    first = UInt64(bigEndian: words.0)
    second = UInt64(bigEndian: words.1)
    third = UInt64(bigEndian: words.2)
    fourth = UInt64(bigEndian: words.3)
  }

  /// The 32 bytes.
  package var bytes: [UInt8] {
    [first, second, third, fourth].flatMap { word in
      stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
    }
  }
}
