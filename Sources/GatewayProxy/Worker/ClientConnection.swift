import GatewayBase
import GatewayHTTP
import GatewayIO
import GatewayTLS

/// A connection from the client side, or one stream of one, owned by one loop from accept to close.
struct ClientConnection: ~Copyable {
  /// What the connection is doing. Successors are named at each.
  enum Phase {
    /// The proxy in front has not said yet where the connection comes from → `handshaking`, `awaitingHead`, removal.
    case announcing
    /// TLS is being agreed on → `awaitingHead`, removal.
    case handshaking
    /// Between requests or inside a head → `exchanging`, `closed` by removal.
    case awaitingHead
    /// One exchange runs → `awaitingHead`, `lingering`, removal.
    case exchanging
    /// The last answer is out; what the client still sends is dropped, so that the kernel does not reset the
    /// connection before the client has read the answer (RFC 9112 section 9.6) → removal.
    case lingering
  }

  /// Of a stream: no wire, as its connection owns that.
  var wire: Wire
  /// What a stream of HTTP/2 keeps besides; nil for a connection of HTTP/1.1.
  var stream: HTTP2Stream?
  /// Who is at the other end, or whom the proxy there has announced.
  var peer: SocketAddress
  let listener: Listener
  var phase: Phase
  /// Whether the peer is one of `trustedProxies`.
  var isTrusted: Bool
  /// Whether it is counted for its peer's address.
  var isCounted = false
  /// Bytes received and not yet used. Held only while there are some.
  var input: ByteBlock?
  /// Of a stream: bytes of the body that came while its head was being judged.
  var late: ByteBlock?
  /// Of a stream: bytes of the answer's body on their way to the connection.
  var output: ByteBlock?
  /// Of a stream: the fields that end the answer, each as a line.
  var trailers: [UInt8] = []
  var scanner = HeadScanner()
  var exchange = Handle.none
  var deadline = Deadline()
  var incoming = Incoming()
  /// Whether it has had an answer: one that has had none is owed time to send its request.
  var wasServed = false
  /// Bytes in the kernel's queue when the client was last found late to take them.
  var queued = Int.max
  /// Whether it has had a long answer, and so is spared the pacing where it is within the machine.
  var isUnpaced = false
  /// Bytes dropped while lingering.
  var lingered = 0

  init(wire: consuming Wire, peer: SocketAddress, listener: Listener, isTrusted: Bool) {
    phase = listener.isAnnounced ? .announcing : wire.isTLS ? .handshaking : .awaitingHead
    self.wire = wire
    self.peer = peer
    self.listener = listener
    self.isTrusted = isTrusted
  }

  init(stream: HTTP2Stream, peer: SocketAddress, listener: Listener, isTrusted: Bool) {
    phase = .awaitingHead
    wire = Wire(descriptor: -1)
    self.stream = stream
    self.peer = peer
    self.listener = listener
    self.isTrusted = isTrusted
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

  /// What listeners are told apart by where they are handed over to another process.
  package struct Name: Sendable, Hashable {
    /// What it is for: `proxy`, `admin`.
    package let role: String
    /// As configured: port 0 where the kernel was to pick one.
    package let address: SocketAddress
    /// Counts those of one role and address.
    package let ordinal: Int

    package init(role: String, address: SocketAddress, ordinal: Int) {
      self.role = role
      self.address = address
      self.ordinal = ordinal
    }
  }

  let descriptor: Int32
  let purpose: Purpose
  let name: Name?
  /// Whether it is served to the very end of a drain: who looks after the process wants to see that too.
  let outlivesDrain: Bool
  /// Certificates; nil for plain HTTP.
  let tls: TLSServing?
  /// Whether each connection begins with an announcement of the PROXY protocol.
  let isAnnounced: Bool
  /// `X-Forwarded-Proto` and `X-Forwarded-Port`, as sent to backends.
  let forwardedFields: [UInt8]

  /// - Parameter isTLS: what backends are told; nil tells whether it has certificates.
  package init(
    descriptor: Int32, port: UInt16, purpose: Purpose, tls: TLSServing? = nil, isAnnounced: Bool = false,
    name: Name? = nil, outlivesDrain: Bool = false, isTLS: Bool? = nil
  ) {
    self.descriptor = descriptor
    self.purpose = purpose
    self.tls = tls
    self.isAnnounced = isAnnounced
    self.name = name
    self.outlivesDrain = outlivesDrain
    let scheme = isTLS ?? (tls != nil) ? "https" : "http"
    forwardedFields = Array("X-Forwarded-Proto: \(scheme)\r\nX-Forwarded-Port: \(port)\r\n".utf8)
  }

  /// Whether it is the gateway's own (admin) rather than for clients of apps.
  var isService: Bool { if case .service = purpose { true } else { false } }
}
