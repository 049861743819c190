import GatewayBase
import GatewayIO

/// The tokens of a loop that came last, by their own bytes: for these not even a digest has to be computed.
///
/// One slot for each value of a few bytes of the signature, which are as good as random for tokens of ours. Whoever
/// makes up others can only push entries out, and then the digest finds the token (see `TokenMemory`). The bytes are
/// compared whole; that the time tells where they differ is no help, as the slot was chosen by the same bytes.
struct RecentTokens: ~Copyable {
  private struct Entry {
    let text: [UInt8]
    let token: RememberedToken
  }

  private var slots: [Entry?]

  /// - Parameter capacity: slots; a power of two.
  init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0)
    slots = Array(repeating: nil, count: capacity)
  }

  func find(_ text: Span<UInt8>) -> RememberedToken? {
    guard let slot = slot(of: text), let entry = slots[slot], ByteCompare.equal(text, entry.text) else { return nil }
    return entry.token
  }

  mutating func remember(_ token: RememberedToken, as text: Span<UInt8>) {
    guard let slot = slot(of: text) else { return }
    slots[slot] = Entry(text: Array(copying: text), token: token)
  }

  mutating func forget(_ text: Span<UInt8>) {
    if let slot = slot(of: text) { slots[slot] = nil }
  }

  /// From the last eight bytes but two, whose bits are all used.
  private func slot(of text: Span<UInt8>) -> Int? {
    guard text.count >= 10 else { return nil }
    var number = 0
    var index = text.count - 10
    while index < text.count - 2 {
      number = number &* 31 &+ Int(text[index])
      index += 1
    }
    return number & (slots.count - 1)
  }
}
