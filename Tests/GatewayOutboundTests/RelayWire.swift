import GatewayBase
import GatewayIO
import GatewayTLS
import Glibc

/// A connection as a relay on loopback has it, with or without TLS; calls block.
final class RelayWire {
  private var wire: Wire
  private let blocks = BlockPool(kept: 1)

  /// - Parameter socket: stays its owner's.
  /// - Returns: nil where the handshake fails.
  init?(_ socket: Int32, _ context: TLSContext?) {
    let descriptor = dup(socket)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    guard let context else {
      wire = Wire(descriptor: descriptor)
      return
    }
    guard let session = context.session(TLSBuffers()) else { return nil }
    wire = Wire(descriptor: descriptor, session: session)
    while true {
      switch wire.handshake() {
      case .done: return
      case .failed:
        wire.close()
        return nil
      case .needsMore: wait(POLLIN)
      }
    }
  }

  deinit {
    wire.finishSending()
    wire.close()
  }

  /// What has come; empty at the end.
  func receive() -> [UInt8] {
    while true {
      var block = blocks.take()
      let result = wire.receive(into: &block)
      let bytes = unsafe block.bytes.withUnsafeBufferPointer { unsafe Array($0) }
      blocks.give(block)
      switch result {
      case .moved: return bytes
      case .wouldBlock: wait(POLLIN)
      case .ended, .failed: return []
      }
    }
  }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch wire.send(rest.span) {
      case .moved(let count): rest = rest.dropFirst(count)
      case .wouldBlock: wait(POLLOUT)
      case .ended, .failed: return
      }
    }
  }

  private func wait(_ events: Int32) {
    var entry = pollfd(fd: wire.descriptor, events: Int16(events), revents: 0)
    _ = unsafe poll(&entry, 1, 10_000)
  }
}
