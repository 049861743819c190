import GatewayBase
import GatewayCrypto

/// The gateway's own signing keys at one moment: which one signs, which ones still verify.
struct SigningKeySet: Sendable {
  struct Entry: Sendable {
    let key: SigningKey
    let created: UnixTime
  }

  /// Newest first; never empty.
  let entries: [Entry]
  /// Seconds that a token lives at most.
  let tokenLifetime: Int64

  /// - Returns: nil where there is no key.
  init?(_ entries: [Entry], tokenLifetime: Int64) {
    guard !entries.isEmpty else { return nil }
    self.entries = entries.sorted { ($0.created, $0.key.kid) > ($1.created, $1.key.kid) }
    self.tokenLifetime = tokenLifetime
  }

  /// The newest key, which signs.
  var active: Entry { entries[0] }

  /// When the last token under a key ends: counted from its successor's creation, with a minute for processes that
  /// learnt of the successor late. Nil for the active key.
  func lastUse(at index: Int) -> UnixTime? {
    index == 0 ? nil : entries[index - 1].created.adding(seconds: tokenLifetime + 60)
  }

  /// The keys that verify at this time, newest first.
  func verifying(at now: UnixTime) -> [Entry] {
    entries.indices.filter { index in lastUse(at: index).map { now < $0 } ?? true }.map { entries[$0] }
  }

  /// The key of this id, unless its last token has ended.
  func verifyingKey(kid: String, at now: UnixTime) -> VerifyingKey? {
    guard let index = entries.firstIndex(where: { $0.key.kid == kid }) else { return nil }
    if let lastUse = lastUse(at: index), now >= lastUse { return nil }
    return entries[index].key.verifyingKey
  }
}
