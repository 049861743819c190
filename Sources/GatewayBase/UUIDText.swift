/// The 36-character lower-case text form of a UUID (RFC 9562 section 4).
package struct UUIDText: Sendable, Hashable, CustomStringConvertible {
  package let bytes: [UInt8]

  /// - Parameter bytes: 16 bytes, whose version and variant bits are set here.
  package init(bytes: [UInt8], version: UInt8) {
    precondition(bytes.count == 16)
    var bytes = bytes
    bytes[6] = bytes[6] & 0x0F | version << 4
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.bytes = bytes
  }

  /// A random one (version 4), from the system's generator.
  package static func random() -> UUIDText {
    var generator = SystemRandomNumberGenerator()
    return UUIDText(bytes: generator.bytes(16), version: 4)
  }

  package var description: String {
    let hex = Hex.encode(bytes)
    let cuts = [0, 8, 12, 16, 20, 32].map { hex.index(hex.startIndex, offsetBy: $0) }
    return zip(cuts, cuts.dropFirst()).map { hex[$0..<$1] }.joined(separator: "-")
  }
}

extension SystemRandomNumberGenerator {
  /// `count` random bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    // A local copy of what has no state: Thread Sanitizer takes the undefined address of such a `self` for memory that
    // threads share.
    var generator = self
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}
