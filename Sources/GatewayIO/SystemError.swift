import Glibc

/// A call to the kernel that failed.
package struct SystemError: Error, CustomStringConvertible {
  package let call: StaticString
  package let number: Int32

  /// - Parameter number: what `errno` said.
  package init(call: StaticString, number: Int32) {
    self.call = call
    self.number = number
  }

  package var description: String { "\(call): \(unsafe String(cString: strerror(number)))" }
}
