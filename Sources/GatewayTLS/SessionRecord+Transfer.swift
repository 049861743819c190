import COpenSSL
import GatewayBase
import GatewayIO
import Glibc

// Application bytes in and out.
extension UnsafeMutablePointer<SessionRecord> {
  func receive(into block: inout ByteBlock) -> Transfer {
    precondition(block.room > 0)
    if let end = unsafe pointee.end { return end }
    // Answers of the protocol itself that found no room wait for no `send`.
    if unsafe !pointee.outgoing.isEmpty, unsafe pointee.committed == 0 { _ = unsafe flush() }
    ErrorQueue.clear()
    unsafe pointee.kernelIsDry = false
    var total = 0
    while block.room > 0 {
      var count = 0
      block.fill { room in
        unsafe room.withUnsafeMutableBufferPointer { room in
          _ = unsafe SSL_read_ex(pointee.ssl, room.baseAddress, room.count, &count)
        }
        return count
      }
      total += count
      if count == 0 {
        let result = unsafe endOfRead()
        if result == .wouldBlock {
          unsafe pointee.mayHaveMore = false
        } else {
          unsafe pointee.end = result
          unsafe pointee.mayHaveMore = true
        }
        return total > 0 ? .moved(total) : result
      }
      unsafe pointee.mayHaveMore = holdsMore
      if unsafe !pointee.mayHaveMore { break }
    }
    return .moved(total)
  }

  /// Whether bytes are left that came already, or the kernel may have more.
  private var holdsMore: Bool {
    unsafe !pointee.kernelIsDry || !pointee.incoming.isEmpty || SSL_has_pending(pointee.ssl) == 1
  }

  /// What a read without bytes means.
  private func endOfRead() -> Transfer {
    switch unsafe SSL_get_error(pointee.ssl, 0) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
      // What the protocol itself had to say to these bytes goes out now; the rest of it when the socket is writable.
      if unsafe pointee.committed == 0 { _ = unsafe flush() }
      return .wouldBlock
    case SSL_ERROR_ZERO_RETURN: return .ended
    default:
      ErrorQueue.clear()
      if unsafe pointee.systemError != 0 { return unsafe .failed(pointee.systemError) }
      if unsafe pointee.hasEnded {
        unsafe pointee.wasTruncated = true
        return .ended
      }
      // An alert says why.
      if unsafe pointee.committed == 0 { _ = unsafe flush() }
      return .failed(EPROTO)
    }
  }

  func send(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Transfer {
    if unsafe !pointee.outgoing.isEmpty {
      let result = unsafe flush()
      guard result == .moved(0) else { return result }
    }
    let committed = unsafe pointee.committed
    if committed > 0 {
      unsafe pointee.committed = 0
      // The caller broke the rule of the same bytes: what is out can't be counted to it.
      guard committed <= first.count + second.count else { return .failed(EINVAL) }
      return .moved(committed)
    }
    ErrorQueue.clear()
    guard let head = unsafe encrypt(first) else { return unsafe failedSend() }
    var taken = head
    if head == first.count {
      guard let body = unsafe encrypt(second) else { return unsafe failedSend() }
      taken += body
    }
    let result = unsafe flush()
    if result == .moved(0) { return .moved(taken) }
    unsafe pointee.committed = taken
    return result
  }

  private func failedSend() -> Transfer {
    ErrorQueue.clear()
    return unsafe .failed(pointee.systemError != 0 ? pointee.systemError : EPROTO)
  }

  /// Encrypts as much as fits behind what waits; the number of bytes, or nil where the session is broken.
  private func encrypt(_ bytes: Span<UInt8>) -> Int? {
    let count = unsafe min(bytes.count, RecordSize.plaintext(fitting: pointee.outgoing.room))
    guard count > 0 else { return 0 }
    var written = 0
    unsafe bytes.withUnsafeBufferPointer { bytes in
      _ = unsafe SSL_write_ex(pointee.ssl, bytes.baseAddress, count, &written)
    }
    return written == count ? count : nil
  }

  func finishSending() {
    if unsafe pointee.isEstablished {
      ErrorQueue.clear()
      unsafe SSL_shutdown(pointee.ssl)
      ErrorQueue.clear()
    }
    unsafe pointee.isFinishing = true
    _ = unsafe flush()
  }
}

/// What encryption adds.
enum RecordSize {
  /// Bytes of the application that a record carries at most (RFC 8446 section 5.1).
  static let content = 16_384
  /// Header, nonce, content type and tag, of any version and cipher that we speak: 29 bytes at most.
  static let overhead = 40

  /// How many bytes of the application become at most `room` bytes, cut into full records and one that is not.
  static func plaintext(fitting room: Int) -> Int {
    let (full, rest) = room.quotientAndRemainder(dividingBy: content + overhead)
    return full * content + max(0, rest - overhead)
  }
}
