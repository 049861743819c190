/// Bytes that must not reach a log, an error or a metric: every way to print one prints `<secret>`.
package struct Secret: Sendable, Equatable {
  private let bytes: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// The only way to the bytes; what it returns must not be kept or printed.
  package func reveal() -> [UInt8] { bytes }

  /// Compares in a time that does not depend on where the first difference is.
  package static func == (a: Secret, b: Secret) -> Bool { constantTimeEqual(a.bytes, b.bytes) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "<secret>" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Whether both are the same bytes, in a time that depends on their lengths alone.
package func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  guard a.count == b.count else { return false }
  var difference: UInt8 = 0
  for index in a.indices { difference |= a[index] ^ b[index] }
  return difference == 0
}
