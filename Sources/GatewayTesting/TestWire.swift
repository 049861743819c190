/// The way of a test client's bytes to the gateway and back, in the form of HTTP/1.1 whatever is spoken on the way.
///
/// On HTTP/1.1, with TLS or without, the bytes pass as they are. On HTTP/2 a whole head becomes HEADERS on a stream of
/// its own, the body that its framing tells becomes DATA, and answers come back in the same form, in the order of the
/// requests. What has no such form there throws `NotOnThisWire`. One thread at a time uses it.
package protocol TestWire: AnyObject {
  /// Sends all of it.
  ///
  /// - Throws: `PeerClosed` where the peer has ended, `TestFailure` where it takes nothing until the deadline.
  func send(_ bytes: [UInt8], deadline: Deadline) throws

  /// The next bytes, empty at the end of the stream.
  ///
  /// - Throws: `PeerClosed` where the connection broke, `TestFailure` at the deadline.
  func receive(deadline: Deadline) throws -> [UInt8]

  /// Ends the sending direction, or the request that is being sent.
  func finishSending()

  /// Ends the connection. A second call does nothing.
  func close()

  /// Ends the connection with RST.
  func reset()
}

/// The bytes have no form on the wire of this run: the test is for another one.
package struct NotOnThisWire: Error {
  package init() {}
}
