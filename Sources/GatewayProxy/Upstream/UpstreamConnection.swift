import GatewayHTTP
import GatewayIO
import GatewayTLS

/// A connection to a server of a backend, or one stream of one, owned by one loop.
struct UpstreamConnection: ~Copyable {
  /// What the connection is doing. Successors are named at each.
  enum Phase {
    /// → `handshaking`, `busy`, removal.
    case connecting
    /// TLS is being agreed on → `busy`, removal.
    case handshaking
    /// Serves one exchange → `idle`, `finishing`, removal.
    case busy
    /// Waits in its pool → `busy`, removal.
    case idle
    /// The client has gone, and the backend may finish: what it sends is dropped → removal.
    case finishing
  }

  /// Of a stream: no wire, as its connection owns that.
  var wire: Wire
  /// What a stream of HTTP/2 keeps besides; nil for a connection of HTTP/1.1.
  var stream: HTTP2Stream?
  /// Of a stream: bytes of the request's body on their way to the connection.
  var output: ByteBlock?
  let place: UpstreamPlace
  var phase = Phase.connecting
  var exchange: Handle
  /// While it is connecting: the next one of the attempts that race for its exchange.
  var rival = Handle.none
  /// The place's `moveCount` as of which its address is known to be the place's.
  var moveCount: UInt32
  /// Bytes received and not yet passed on. Held only while there are some.
  var input: ByteBlock?
  var scanner = HeadScanner()
  var deadline = Deadline()
  /// Whether an exchange before this one used it: only then may its death be a race with the backend's idle limit.
  var isReused = false
  /// Bytes of an answer dropped for want of a client.
  var dropped = 0
  var incoming = Incoming()
  /// Whether its last answer had a long body.
  var answersLong = false
  /// Milliseconds that it may idle: below what the backend said or is likely to allow.
  var idleLimit: UInt64 = UpstreamPool.idleLimit

  init(wire: consuming Wire, to place: UpstreamPlace, exchange: Handle) {
    self.wire = wire
    self.place = place
    moveCount = place.moveCount
    self.exchange = exchange
  }

  init(stream: HTTP2Stream, to place: UpstreamPlace, exchange: Handle) {
    wire = Wire(descriptor: -1)
    self.stream = stream
    self.place = place
    moveCount = place.moveCount
    self.exchange = exchange
    phase = .busy
  }
}
