import COpenSSL
import GatewayIO
import Glibc

/// How OpenSSL reaches the socket: through the record's buffers, so that the kernel is asked once for many records,
/// and many records leave in one call.
enum SocketBIO {
  /// The callbacks, made once. nil where OpenSSL has no memory.
  nonisolated(unsafe) private static let method: OpaquePointer? = {
    guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "loop socket") else {
      return nil
    }
    unsafe BIO_meth_set_read(method) { bio, bytes, count in unsafe SocketBIO.read(bio, bytes, count) }
    unsafe BIO_meth_set_write(method) { bio, bytes, count in unsafe SocketBIO.write(bio, bytes, count) }
    unsafe BIO_meth_set_ctrl(method) { bio, command, _, _ in unsafe SocketBIO.control(bio, command) }
    return unsafe method
  }()

  static func make() -> OpaquePointer? {
    guard let method = unsafe method, let bio = unsafe BIO_new(method) else { return nil }
    unsafe BIO_set_init(bio, 1)
    return unsafe bio
  }

  private static func record(_ bio: OpaquePointer?) -> UnsafeMutablePointer<SessionRecord>? {
    guard let data = unsafe BIO_get_data(bio) else { return nil }
    return unsafe data.assumingMemoryBound(to: SessionRecord.self)
  }

  private static func read(_ bio: OpaquePointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
    guard let record = unsafe record(bio), let bytes = unsafe bytes, count > 0 else { return -1 }
    unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
    if unsafe record.pointee.incoming.isEmpty {
      unsafe record.fetch()
      if unsafe record.pointee.incoming.isEmpty {
        if unsafe record.pointee.hasEnded || record.pointee.systemError != 0 { return 0 }
        unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
      }
    }
    let moved = unsafe min(Int(count), record.pointee.incoming.bytes.count)
    unsafe record.pointee.incoming.bytes.withUnsafeBytes { source in
      guard let address = source.baseAddress else { return }
      unsafe memcpy(bytes, address, moved)
    }
    unsafe record.pointee.incoming.consume(moved, record.buffers)
    return Int32(truncatingIfNeeded: moved)
  }

  /// Takes what it is given as long as there is room: `send` encrypts no more than fits, so only messages of the
  /// protocol itself can find none, of a peer that asks for many and reads none.
  private static func write(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
    guard let record = unsafe record(bio), let bytes = unsafe bytes, count > 0 else { return -1 }
    unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
    guard unsafe record.pointee.outgoing.room >= Int(count) else {
      unsafe BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
      return -1
    }
    let tail = unsafe record.pointee.outgoing.tail(record.buffers)
    unsafe UnsafeMutableRawBufferPointer(tail).copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    unsafe record.pointee.outgoing.filled(Int(count))
    return count
  }

  private static func control(_ bio: OpaquePointer?, _ command: Int32) -> Int {
    switch command {
    case BIO_CTRL_FLUSH: 1
    case BIO_CTRL_EOF: unsafe record(bio).map { unsafe $0.pointee.hasEnded } == true ? 1 : 0
    default: 0
    }
  }
}

extension UnsafeMutablePointer<SessionRecord> {
  /// Asks the kernel for bytes, unless this turn has shown that it has none.
  func fetch() {
    guard unsafe !pointee.kernelIsDry, unsafe !pointee.hasEnded, unsafe pointee.systemError == 0 else { return }
    let tail = unsafe pointee.incoming.tail(buffers)
    var room = unsafe MutableSpan(_unsafeElements: tail)
    switch unsafe Socket.receive(pointee.descriptor, into: &room) {
    case .moved(let count):
      unsafe pointee.incoming.filled(count)
      // A short read of a handshake may have FIN behind it, of which no other event tells.
      unsafe pointee.kernelIsDry = count < tail.count && pointee.isEstablished
    case .wouldBlock: unsafe pointee.kernelIsDry = true
    case .ended: unsafe pointee.hasEnded = true
    case .failed(let number): unsafe pointee.systemError = number
    }
    if unsafe pointee.incoming.isEmpty { unsafe pointee.incoming.clear(buffers) }
  }

  /// Sends what is encrypted. `.moved(0)`: all of it is with the kernel.
  func flush() -> Transfer {
    while unsafe !pointee.outgoing.isEmpty {
      switch unsafe Socket.send(pointee.descriptor, pointee.outgoing.bytes) {
      case .moved(let count): unsafe pointee.outgoing.consume(count, buffers)
      case let other:
        if case .failed(let number) = other { unsafe pointee.systemError = number }
        return other
      }
    }
    if unsafe pointee.isFinishing {
      unsafe pointee.isFinishing = false
      unsafe Socket.finishSending(pointee.descriptor)
    }
    return .moved(0)
  }
}
