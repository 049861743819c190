import GatewayBase
import GatewayCrypto

/// The remembered tokens of one loop, by the SHA-256 of the whole token, so that a known token costs a hash and a
/// look-up. Bounded: when the young half is full it becomes the old half, and what was old is forgotten.
struct TokenMemory: ~Copyable {
  private struct Half {
    var digests: [SHA256Digest?]
    var tokens: [RememberedToken?]
    var count = 0

    init(capacity: Int) {
      digests = Array(repeating: nil, count: capacity)
      tokens = Array(repeating: nil, count: capacity)
    }

    /// Where the digest is, or the empty slot where it would be. A half is never more than half full.
    func slot(of digest: SHA256Digest) -> Int {
      let mask = digests.count - 1
      var slot = Int(truncatingIfNeeded: digest.first) & mask
      while let other = digests[slot], other != digest { slot = (slot + 1) & mask }
      return slot
    }
  }

  private var young: Half
  private var old: Half
  private let capacity: Int

  /// - Parameter capacity: tokens of both halves together; a power of two, at least 8.
  init(capacity: Int) {
    precondition(capacity >= 8 && capacity & (capacity - 1) == 0)
    self.capacity = capacity
    young = Half(capacity: 8)
    old = Half(capacity: 8)
  }

  mutating func find(_ digest: SHA256Digest) -> RememberedToken? {
    if let token = young.tokens[young.slot(of: digest)] { return token }
    guard let token = old.tokens[old.slot(of: digest)] else { return nil }
    remember(token, as: digest)
    return token
  }

  mutating func remember(_ token: RememberedToken, as digest: SHA256Digest) {
    makeRoom()
    let slot = young.slot(of: digest)
    if young.digests[slot] == nil { young.count += 1 }
    young.digests[slot] = digest
    young.tokens[slot] = token
  }

  /// Forgets a token that ended; its slot goes with its half.
  mutating func forget(_ digest: SHA256Digest) {
    young.tokens[young.slot(of: digest)] = nil
    old.tokens[old.slot(of: digest)] = nil
  }

  private mutating func makeRoom() {
    guard young.count * 2 >= young.digests.count else { return }
    if young.count >= capacity / 2 {
      old = young
      young = Half(capacity: old.digests.count)
    } else {
      var larger = Half(capacity: young.digests.count * 2)
      for (digest, token) in zip(young.digests, young.tokens) {
        guard let digest, let token else { continue }
        let slot = larger.slot(of: digest)
        larger.digests[slot] = digest
        larger.tokens[slot] = token
        larger.count += 1
      }
      young = larger
    }
  }
}
