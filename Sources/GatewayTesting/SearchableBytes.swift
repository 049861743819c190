import Glibc

/// Bytes that grow, and that can be searched for a text at the C library's speed.
struct SearchableBytes: Sendable {
  /// Ends in NUL. A NUL among the bytes stands here as 1, which no text that is looked for holds.
  private var characters: [CChar] = [0]

  mutating func append(_ bytes: [UInt8]) {
    characters.removeLast()
    characters += bytes.map { $0 == 0 ? 1 : CChar(bitPattern: $0) }
    characters.append(0)
  }

  func contain(_ text: String) -> Bool { unsafe strstr(characters, text) != nil }
}
