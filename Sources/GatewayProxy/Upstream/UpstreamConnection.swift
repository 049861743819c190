import GatewayHTTP
import GatewayIO

/// A connection to a server of a backend, owned by one loop.
struct UpstreamConnection: ~Copyable {
  /// What the connection is doing. Successors are named at each.
  enum Phase {
    /// → `busy`, removal.
    case connecting
    /// Serves one exchange → `idle`, removal.
    case busy
    /// Waits in its pool → `busy`, removal.
    case idle
  }

  var wire: Wire
  let server: UpstreamServer
  var phase = Phase.connecting
  var exchange: Handle
  /// Bytes received and not yet passed on. Held only while there are some.
  var input: ByteBlock?
  var scanner = HeadScanner()
  var deadline = Deadline()
  /// Whether an exchange before this one used it: only then may its death be a race with the backend's idle limit.
  var isReused = false
  var incoming = Incoming()
  /// Milliseconds that it may idle: below what the backend said or is likely to allow.
  var idleLimit: UInt64 = UpstreamPool.idleLimit

  init(descriptor: Int32, server: UpstreamServer, exchange: Handle) {
    wire = Wire(descriptor: descriptor)
    self.server = server
    self.exchange = exchange
  }

  /// Takes in a read of `count` bytes into `room`: a short one means that there is no more for now.
  mutating func noteRead(_ count: Int, of room: Int) {
    if !wire.mayHaveMore(after: count, of: room) { incoming.noteDrained() }
  }
}
