import GatewayBase
import GatewayHTTP
import GatewayIO

/// A connection from the client side, owned by one loop from accept to close.
struct ClientConnection: ~Copyable {
  /// What the connection is doing. Successors are named at each.
  enum Phase {
    /// Between requests or inside a head → `exchanging`, `closed` by removal.
    case awaitingHead
    /// One exchange runs → `awaitingHead`, `lingering`, removal.
    case exchanging
    /// The last answer is out; what the client still sends is dropped, so that the kernel does not reset the
    /// connection before the client has read the answer (RFC 9112 section 9.6) → removal.
    case lingering
  }

  var wire: Wire
  let peer: SocketAddress
  let listener: Listener
  var phase = Phase.awaitingHead
  /// Bytes received and not yet used. Held only while there are some.
  var input: ByteBlock?
  var scanner = HeadScanner()
  var exchange = Handle.none
  var deadline = Deadline()
  var incoming = Incoming()
  /// Whether it has had an answer: one that has had none is owed time to send its request.
  var wasServed = false
  /// Bytes in the kernel's queue when the client was last found late to take them.
  var queued = Int.max
  /// Bytes dropped while lingering.
  var lingered = 0

  init(descriptor: Int32, peer: SocketAddress, listener: Listener) {
    wire = Wire(descriptor: descriptor)
    self.peer = peer
    self.listener = listener
  }

  /// Takes in a read of `count` bytes into `room`: a short one means that there is no more for now.
  mutating func noteRead(_ count: Int, of room: Int) {
    if !wire.mayHaveMore(after: count, of: room) { incoming.noteDrained() }
  }
}

/// A socket that connections come from, and what it is for.
package final class Listener: Sendable {
  package enum Purpose: Sendable {
    /// The proxy and the platform, told apart by host.
    case hosts
    /// One service for every host: the admin listener, the sandbox.
    case service(any Service)
  }

  let descriptor: Int32
  let purpose: Purpose
  /// `X-Forwarded-Proto` and `X-Forwarded-Port`, as sent to backends.
  let forwardedFields: [UInt8]

  package init(descriptor: Int32, port: UInt16, purpose: Purpose) {
    self.descriptor = descriptor
    self.purpose = purpose
    forwardedFields = Array("X-Forwarded-Proto: http\r\nX-Forwarded-Port: \(port)\r\n".utf8)
  }
}
