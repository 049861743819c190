/// What a client wants the connection to become.
package enum Upgrade: UInt8, Sendable {
  case none
  /// `websocket` alone (RFC 6455 section 4.2.1).
  case websocket
  /// Anything else, `h2c` for one: not offered, so the request is an ordinary one.
  case other
}

/// The head of a request, as offsets into its bytes; its fields are in the table that it was parsed into.
package struct RequestHead: Sendable {
  /// Bytes of the head, with the empty line that ends it.
  package let count: Int
  package let method: HTTPMethod
  /// Where the method's text is: what to send on for `other`.
  package let methodRange: Range<Int>
  package let targetRange: Range<Int>
  /// 0 or 1: the request is of HTTP/1.0 or HTTP/1.1.
  package let minorVersion: UInt8
  /// Never `untilClose`.
  package let framing: BodyFraming
  /// Whether the client lets the connection stay open.
  package let keepAlive: Bool
  /// Whether the client waits for `100` before it sends the body.
  package let expectsContinue: Bool
  package let upgrade: Upgrade
  /// Whether `Connection` named a field of this head; those fields are marked `nominated`.
  package let hasNominations: Bool
  /// The index of the one `Host` field. Its value is not judged yet: see `HostName`.
  package let hostIndex: Int
}
