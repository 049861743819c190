import GatewayBase

/// Lets apps that say the same hold the same bytes: most of ten thousand have a route `/` and a backend `api`. Besides
/// memory that saves cache misses, as what one app's request has fetched serves the next app's.
package final class SharedTexts: Sendable {
  /// What is made of a text.
  private enum Use: Hashable { case bytes, backend, route }

  private struct Key: Hashable {
    let use: Use
    let text: String
  }

  private struct Known {
    var bytes: [Key: [UInt8]] = [:]
    var lists: [[String]: [[UInt8]]] = [:]
    var strings: Set<String> = []
  }

  private let known = Locked(Known())

  package init() {}

  /// The bytes of a text.
  func bytes(_ text: String) -> [UInt8] { bytes(.bytes, of: text) { Array($0.utf8) } }

  /// The bytes of some texts.
  func bytes(_ texts: [String]) -> [[UInt8]] {
    if let known = known.withLock({ $0.lists[texts] }) { return known }
    let list = texts.map { bytes($0) }
    known.withLock { if $0.lists.count < Limits.sharedTexts { $0.lists[texts] = list } }
    return list
  }

  /// A backend's part of a line in the access log.
  func backend(_ name: String) -> [UInt8] { bytes(.backend, of: name) { AccessLog.member("backend", $0) } }

  /// A route's part of a line in the access log.
  func route(_ path: String) -> [UInt8] { bytes(.route, of: path) { AccessLog.member("route", $0) } }

  /// That text, as it was given first.
  func string(_ text: String) -> String {
    known.withLock { known in
      guard known.strings.count < Limits.sharedTexts || known.strings.contains(text) else { return text }
      return known.strings.insert(text).memberAfterInsert
    }
  }

  /// Looked up by the text, as hashing bytes one by one takes longer than all else here.
  private func bytes(_ use: Use, of text: String, make: (String) -> [UInt8]) -> [UInt8] {
    let key = Key(use: use, text: text)
    return known.withLock { known in
      if let bytes = known.bytes[key] { return bytes }
      let bytes = make(text)
      if known.bytes.count < Limits.sharedTexts { known.bytes[key] = bytes }
      return bytes
    }
  }
}
