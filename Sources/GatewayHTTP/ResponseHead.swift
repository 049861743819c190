/// The head of a backend's answer, as offsets into its bytes; its fields are in the table that it was parsed into.
package struct ResponseHead: Sendable {
  /// 100…599.
  package let status: UInt16
  /// Where the three digits of the status are.
  package var statusRange: Range<Int> { 9..<12 }
  package let minorVersion: UInt8
  package let reasonRange: Range<Int>
  package let framing: BodyFraming
  /// `Content-Length` where there is one; of an answer to `HEAD` and of 304 it tells what a body would have.
  package let declaredLength: UInt64?
  /// Whether the connection may carry another request after this answer.
  package let keepAlive: Bool
  /// Seconds that the backend keeps an idle connection, where it says so (`Keep-Alive: timeout=5`).
  package let keepAliveTimeout: UInt32?
  /// What an answer of 101 switches to; `none` for every other status.
  package let upgrade: Upgrade

  /// Whether another answer to the same request follows. 101 is none of these: it is the last one.
  package var isInterim: Bool { status < 200 && status != 101 }
}
