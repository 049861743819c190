import GatewayBase
import GatewayIO
import GatewayTLS
import Glibc

/// A TLS connection to 127.0.0.1 with blocking calls that end at a deadline. One thread at a time uses it.
package final class TLSStream: TestWire {
  private var wire: Wire
  private var isOpen = true
  private let blocks = BlockPool(kept: 1)
  /// What the handshake agreed on.
  package private(set) var applicationProtocol: ApplicationProtocol?

  /// Connects and completes the handshake.
  ///
  /// - Parameters:
  ///   - context: whom to trust, and the protocols to offer.
  ///   - host: whose certificate it must be; a name is asked for (SNI), an address is not.
  ///   - receiveBuffer: bytes of the kernel's receive buffer; nil is the kernel's choice.
  /// - Throws: the `TLSFailure` of a handshake that fails.
  package init(
    port: UInt16, _ context: TLSClientContext, host: URLHost = .address(.v4(0x7F00_0001)), seconds: Double,
    receiveBuffer: Int32? = nil
  ) throws {
    let descriptor = try Loopback.connect(port: port, receiveBuffer: receiveBuffer)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    guard let session = context.session(to: host, TLSBuffers()) else {
      Glibc.close(descriptor)
      throw TestFailure("no memory for a TLS session")
    }
    wire = Wire(descriptor: descriptor, session: session)
    try shakeHands(Deadline(seconds: seconds))
  }

  deinit { close() }

  private func shakeHands(_ deadline: Deadline) throws {
    while true {
      switch wire.handshake() {
      case .done(let choice):
        applicationProtocol = choice
        return
      case .failed(let failure): throw failure
      case .needsMore: try Loopback.wait(wire.descriptor, POLLIN, deadline)
      }
    }
  }

  /// Whether the handshake took up an earlier session.
  package var wasResumed: Bool { wire.wasResumed }

  package func send(_ bytes: [UInt8], deadline: Deadline) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard isOpen else { throw PeerClosed() }
      switch wire.send(rest.span) {
      case .moved(let count): rest = rest.dropFirst(count)
      case .wouldBlock: try Loopback.wait(wire.descriptor, POLLOUT, deadline)
      case .ended, .failed: throw PeerClosed()
      }
    }
  }

  package func receive(deadline: Deadline) throws -> [UInt8] {
    while isOpen {
      let (result, bytes) = read()
      switch result {
      case .moved: return bytes
      case .ended: return []
      case .failed: throw PeerClosed()
      case .wouldBlock: try Loopback.wait(wire.descriptor, POLLIN, deadline)
      }
    }
    throw PeerClosed()
  }

  private func read() -> (Transfer, [UInt8]) {
    var block = blocks.take()
    let result = wire.receive(into: &block)
    let bytes = unsafe block.bytes.withUnsafeBufferPointer { unsafe Array($0) }
    blocks.give(block)
    return (result, bytes)
  }

  package func finishSending() {
    if isOpen { wire.finishSending() }
  }

  package func close() {
    if isOpen { wire.close() }
    isOpen = false
  }

  package func reset() {
    if isOpen { Loopback.prepareReset(wire.descriptor) }
    close()
  }
}
