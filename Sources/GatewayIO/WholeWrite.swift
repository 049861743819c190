import Glibc

/// Writing with nothing left over.
package enum WholeWrite {
  /// Writes all of the bytes, in as many calls as that takes.
  ///
  /// - Returns: whether all are written; `errno` says why where they are not.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
