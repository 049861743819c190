import GatewayIO
import GatewayTLS

/// What is known of the incoming direction of a connection, on either side: edge-triggered events tell it once.
struct Incoming {
  /// The kernel may have bytes: an event came, and no read has run dry since.
  var mayRead = false
  /// The peer ended its direction. A read that runs dry finds the end.
  var peerEnded = false

  /// Takes in what an event said.
  mutating func note(_ readiness: Readiness) {
    if readiness.hasAny(of: .readable) { mayRead = true }
    if readiness.hasAny(of: .peerEnded, .broken) {
      peerEnded = true
      mayRead = true
    }
  }

  /// Takes in a read of `count` bytes into `room`: a short one means that there is no more for now.
  mutating func noteRead(_ count: Int, of room: Int, from wire: borrowing Wire) {
    if !wire.mayHaveMore(after: count, of: room) { noteDrained() }
  }

  /// Takes in a read that left nothing for now. The end is still to be read where it was announced.
  mutating func noteDrained() { if !peerEnded { mayRead = false } }
}

extension Wire {
  /// Hands the socket on to a record of another kind; the one that had it is to be removed.
  mutating func handOver() -> Wire {
    var taken = Wire(descriptor: -1)
    swap(&taken, &self)
    return taken
  }
}
