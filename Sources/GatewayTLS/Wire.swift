import COpenSSL
import GatewayBase
import GatewayIO

/// A stream socket of a loop, with or without TLS. Owns the descriptor and the session: close it once.
///
/// What both kinds promise to an edge-triggered loop is the same. `public` and inlined, so that a plain socket costs
/// what it costs without this.
public struct Wire: ~Copyable {
  /// The socket.
  public let descriptor: Int32
  /// The address of the session's record; 0 for a plain socket. A number, as an optional noncopyable value would cost
  /// the plain path more than one comparison.
  @usableFromInline var record: UInt

  /// A plain socket.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
    record = 0
  }

  /// A socket on which TLS begins with the next byte.
  public init(descriptor: Int32, session: consuming TLSSession) {
    self.descriptor = descriptor
    record = session.intoRecord(for: descriptor)
  }

  /// Whether its bytes are encrypted.
  @inlinable public var isTLS: Bool { record != 0 }

  /// Reads into the room behind the block's bytes. The block must have room.
  ///
  /// - Returns: `.moved` with the bytes of the application; `.wouldBlock` when an event will tell of more; `.ended` at
  ///   the end of the peer's direction, by `close_notify` or FIN (see `wasTruncated`).
  @inlinable public func receive(into block: inout ByteBlock) -> Transfer {
    record == 0 ? Socket.receive(descriptor, into: &block) : receiveOverTLS(into: &block)
  }

  /// Whether another `receive` may find something although no event comes.
  ///
  /// A plain socket: where a read filled the room. TLS: where bytes are left of what was taken from the kernel, or the
  /// kernel has more, or the end is known already.
  /// - Parameters:
  ///   - count: what the last `receive` moved.
  ///   - room: the room that the block had before it.
  @inlinable public func mayHaveMore(after count: Int, of room: Int) -> Bool {
    record == 0 ? count == room : sessionMayHaveMore
  }

  /// Sends bytes. `.moved` counts those that are with the kernel, their records whole.
  ///
  /// After `.wouldBlock` call again, when the socket is writable, with the same bytes at the front; more may follow
  /// them. Over TLS those bytes may be encrypted already and partly out (see `isCommitted`).
  @inlinable public func send(_ bytes: Span<UInt8>) -> Transfer {
    record == 0 ? Socket.send(descriptor, bytes) : sendOverTLS(bytes, Span())
  }

  /// Sends two runs of bytes as one.
  @inlinable public func send(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Transfer {
    record == 0 ? Socket.send(descriptor, first, second) : sendOverTLS(first, second)
  }

  /// Whether a `send` that said `.wouldBlock` has begun to go out, so that its bytes can't be taken back.
  @inlinable public var isCommitted: Bool { record != 0 && sessionIsCommitted }

  /// Whether the peer's direction ended with FIN and no `close_notify` before it: somebody on the way may have cut
  /// off what ends with the connection (RFC 8446 section 6.1). Never true of a plain socket.
  public var wasTruncated: Bool { unsafe record != 0 && session.pointee.wasTruncated }

  /// Whether the handshake took up an earlier session by its ticket. Never true of a plain socket.
  public var wasResumed: Bool { unsafe record != 0 && SSL_session_reused(session.pointee.ssl) == 1 }

  /// Takes the handshake as far as it goes. A plain socket has none and is `.done`.
  public func handshake() -> Handshake { record == 0 ? .done(nil) : unsafe session.handshake() }

  /// Ends the sending direction: `close_notify` over TLS, then FIN.
  public func finishSending() {
    if record == 0 { Socket.finishSending(descriptor) } else { unsafe session.finishSending() }
  }

  /// Frees the session and closes the socket, without `close_notify`: after `finishSending` it is out already, and
  /// where that was not called, something is cut off, which the peer must not take for whole.
  ///
  /// A second call would close another's socket: there must be none.
  public mutating func close() {
    if record != 0 { unsafe session.free() }
    record = 0
    Socket.close(descriptor)
  }
}

// The ways into the session, apart so that no pointer is in what other modules inline.
extension Wire {
  private var session: UnsafeMutablePointer<SessionRecord> {
    unsafe UnsafeMutablePointer(bitPattern: record).unsafelyUnwrapped
  }

  @usableFromInline func receiveOverTLS(into block: inout ByteBlock) -> Transfer {
    unsafe session.receive(into: &block)
  }

  @usableFromInline func sendOverTLS(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Transfer {
    unsafe session.send(first, second)
  }

  @usableFromInline var sessionMayHaveMore: Bool { unsafe session.pointee.mayHaveMore }

  @usableFromInline var sessionIsCommitted: Bool { unsafe session.pointee.committed > 0 }
}
