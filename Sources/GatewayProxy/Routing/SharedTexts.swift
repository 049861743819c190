import GatewayBase

/// Lets apps that say the same hold the same bytes: most of ten thousand have a route `/` and a backend `api`. Besides
/// memory that saves cache misses, as what one app's request has fetched serves the next app's.
package final class SharedTexts: Sendable {
  private struct Known {
    var bytes: Set<[UInt8]> = []
    var strings: Set<String> = []
  }

  private let known = Locked(Known())

  package init() {}

  /// Those bytes, as they were given first.
  func bytes(_ bytes: [UInt8]) -> [UInt8] { known.withLock { Self.shared(bytes, in: &$0.bytes) } }

  /// That text, as it was given first.
  func string(_ text: String) -> String { known.withLock { Self.shared(text, in: &$0.strings) } }

  private static func shared<Value>(_ value: Value, in known: inout Set<Value>) -> Value {
    guard known.count < Limits.sharedTexts || known.contains(value) else { return value }
    return known.insert(value).memberAfterInsert
  }
}
