import GatewayBase
import GatewayHTTP
import GatewayIO
import GatewayTLS

/// A connection that speaks HTTP/2, on either side, owned by one loop. What its streams carry is in the slabs of
/// client and upstream connections: to the pipeline a stream is a connection with one request.
struct HTTP2Connection: ~Copyable {
  var wire: Wire
  /// The machine and the way from it to the worker.
  let link: HTTP2Link
  /// Frames that the kernel had no room for.
  var output: ByteBlock?
  var incoming = Incoming()
  /// To a backend: its place's `moveCount` as of which its address is known to be the place's.
  var moveCount: UInt32 = 0
  /// While no stream is open, or the peer takes no bytes.
  var deadline = Deadline()
  /// Whether it is in the worker's list of connections with something to send.
  var isListed = false
  /// Whether the peer takes no bytes for now.
  var isBlocked = false
  /// Whether the last word is said: what still comes is dropped, so that the kernel does not reset the connection
  /// before the peer has read why it ends (RFC 9113 section 5.4.1).
  var isLingering = false
  /// Bytes dropped since.
  var lingered = 0

  init(wire: consuming Wire, link: HTTP2Link) {
    self.wire = wire
    self.link = link
  }
}

/// What a stream keeps besides what every connection of its side has.
struct HTTP2Stream {
  /// The connection that it is part of.
  let connection: Handle
  let id: HTTP2StreamID
  /// Whether a body followed the head.
  let hasBody: Bool
  /// Whether the peer sends nothing more.
  var peerEnded: Bool
  /// Whether all that will be sent is in the output.
  var ends: Bool
  /// Whether the machine has told its end: nothing can be sent any more.
  var isClosed = false
  /// Bytes of the body that came and hold the window shut.
  var uncredited = 0
  /// Whether a send found no room.
  var isBlocked = false

  init(connection: Handle, id: HTTP2StreamID, hasBody: Bool, peerEnded: Bool = false, ends: Bool = false) {
    self.connection = connection
    self.id = id
    self.hasBody = hasBody
    self.peerEnded = peerEnded
    self.ends = ends
  }

  /// A stream of ours that has no number yet.
  static func unopened(on connection: Handle) -> HTTP2Stream {
    HTTP2Stream(connection: connection, id: HTTP2StreamID(0), hasBody: false)
  }
}

/// What a machine tells about one connection, on its way to the worker.
///
/// The worker outlives all its connections.
class HTTP2Link: HTTP2Owner {
  unowned let worker: Worker
  var connection = Handle.none
  private var made: HTTP2Machine?

  init(_ worker: Worker) { self.worker = worker }

  /// The machine tells its owner from its first breath, so it comes second.
  func begin(_ role: HTTP2Machine.Role) { made = HTTP2Machine(role, owner: self, buffers: worker.http2Buffers) }

  var machine: HTTP2Machine {
    guard let made else { preconditionFailure("a link begins before it is used") }
    return made
  }

  /// The record of a stream, in the slab of its side.
  func handle(of stream: HTTP2StreamID) -> Handle { machine.tag(of: stream).map(Handle.init(raw:)) ?? .none }

  func requestBegan(_ stream: HTTP2StreamID, head: Span<UInt8>, endsStream: Bool, hasLength: Bool) {}
  func requestRefused(_ stream: HTTP2StreamID, _ refusal: Refusal, head: Span<UInt8>, endsStream: Bool) {}
  func responseHeadCame(_ stream: HTTP2StreamID, head: Span<UInt8>, endsStream: Bool, hasLength: Bool) {}
  func dataCame(_ stream: HTTP2StreamID, _ bytes: Span<UInt8>) {}
  func trailersCame(_ stream: HTTP2StreamID, fields: Span<UInt8>) {}
  func streamEnded(_ stream: HTTP2StreamID) {}
  func streamClosed(_ stream: HTTP2StreamID, error: HTTP2ErrorCode) {}
  func fill(_ stream: HTTP2StreamID, into out: inout HTTP2Sink) -> HTTP2Fill { .end }
}

/// The link of a connection from the client side.
final class HTTP2ClientLink: HTTP2Link {
  let peer: SocketAddress
  let listener: Listener
  let isTrusted: Bool
  let isCounted: Bool

  /// Takes over what the connection's first record knows.
  init(_ worker: Worker, _ client: borrowing ClientConnection) {
    peer = client.peer
    listener = client.listener
    isTrusted = client.isTrusted
    isCounted = client.isCounted
    super.init(worker)
  }

  override func requestBegan(_ stream: HTTP2StreamID, head: Span<UInt8>, endsStream: Bool, hasLength: Bool) {
    worker.streamBegan(self, stream, head, hasEnded: endsStream)
  }

  override func requestRefused(
    _ stream: HTTP2StreamID, _ refusal: Refusal, head: Span<UInt8>, endsStream: Bool
  ) {
    worker.streamWasRefused(self, stream, refusal, head)
  }

  override func dataCame(_ stream: HTTP2StreamID, _ bytes: Span<UInt8>) {
    worker.clientStreamReceived(handle(of: stream), bytes)
  }

  override func streamEnded(_ stream: HTTP2StreamID) { worker.clientStreamEnded(handle(of: stream)) }

  override func streamClosed(_ stream: HTTP2StreamID, error: HTTP2ErrorCode) {
    worker.clientStreamClosed(handle(of: stream))
  }

  override func fill(_ stream: HTTP2StreamID, into out: inout HTTP2Sink) -> HTTP2Fill {
    worker.fillClientStream(handle(of: stream), &out)
  }
}
