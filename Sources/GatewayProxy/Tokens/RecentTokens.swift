import GatewayBase
import GatewayIO

/// The tokens of a loop that came last, by their own bytes: for these not even a digest has to be computed.
///
/// A few bytes of the signature, which are as good as random for tokens of ours, choose four places, and tell which of
/// these are worth a look, so that the others' memory is not touched. Whoever makes up tokens can only push entries
/// out, and then the digest finds the token (see `TokenMemory`). The bytes are compared whole; that the time tells
/// where they differ is no help, as the place was chosen by the same bytes.
struct RecentTokens: ~Copyable {
  private struct Entry {
    var text: [UInt8] = []
    var token: RememberedToken?
  }

  private static var ways: Int { 4 }

  /// The chosen bytes of each entry; 0 for an empty place, as no byte of a token is 0.
  private var tags: FixedBuffer<UInt64>
  private var entries: [Entry]

  /// - Parameter capacity: places; a power of two, at least 4.
  init(capacity: Int) {
    precondition(capacity >= Self.ways && capacity & (capacity - 1) == 0)
    tags = FixedBuffer(repeating: 0, count: capacity)
    entries = Array(repeating: Entry(), count: capacity)
  }

  func find(_ text: Span<UInt8>) -> RememberedToken? {
    guard let tag = Self.tag(of: text) else { return nil }
    let first = firstPlace(of: tag)
    for place in first..<(first + Self.ways) where tags[place] == tag {
      // In place: a copy of the entry would count references to all of it.
      if ByteCompare.equal(text, entries[place].text) { return entries[place].token }
    }
    return nil
  }

  mutating func remember(_ token: RememberedToken, as text: Span<UInt8>) {
    guard let tag = Self.tag(of: text) else { return }
    let places = firstPlace(of: tag)..<(firstPlace(of: tag) + Self.ways)
    // Its own place, or an empty one, or else that of one whose turn it is by chance.
    let place =
      places.first { tags[$0] == tag } ?? places.first { tags[$0] == 0 }
      ?? places.lowerBound + Int(truncatingIfNeeded: tag) & (Self.ways - 1)
    tags[place] = tag
    entries[place] = Entry(text: Array(copying: text), token: token)
  }

  mutating func forget(_ text: Span<UInt8>) {
    guard let tag = Self.tag(of: text) else { return }
    let first = firstPlace(of: tag)
    for place in first..<(first + Self.ways) where tags[place] == tag {
      tags[place] = 0
      entries[place] = Entry()
    }
  }

  private func firstPlace(of tag: UInt64) -> Int {
    let mixed = (tag &* 0x9E37_79B9_7F4A_7C15) >> 32
    return Int(mixed) & (tags.count - 1) & ~(Self.ways - 1)
  }

  /// The last eight bytes but two, whose bits are all used; nil for what is too short to be a token.
  private static func tag(of text: Span<UInt8>) -> UInt64? {
    guard text.count >= 10 else { return nil }
    var tag: UInt64 = 0
    var index = text.count - 10
    while index < text.count - 2 {
      tag = tag << 8 | UInt64(text[index])
      index += 1
    }
    return tag
  }
}
