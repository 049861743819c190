import GatewayIO

/// A stream socket of a loop. Owns the descriptor: closed once.
struct Wire: ~Copyable {
  let descriptor: Int32

  func receive(into block: inout ByteBlock) -> Transfer { Socket.receive(descriptor, into: &block) }

  /// Whether another read may find bytes without a new event, after one that moved `count` bytes into `room`.
  func mayHaveMore(after count: Int, of room: Int) -> Bool { count == room }

  func send(_ bytes: Span<UInt8>) -> Transfer { Socket.send(descriptor, bytes) }

  func send(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Transfer { Socket.send(descriptor, first, second) }

  /// Ends the sending direction.
  func finishSending() { Socket.finishSending(descriptor) }

  func close() { Socket.close(descriptor) }
}
