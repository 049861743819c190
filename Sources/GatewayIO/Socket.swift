import CLinux
import GatewayBase
import Glibc

/// What a transfer did.
package enum Transfer: Equatable {
  /// Bytes that went through; less than asked for means that the kernel has no more, or no more room.
  case moved(Int)
  /// Nothing now; an event will come.
  case wouldBlock
  /// The peer ended its direction.
  case ended
  /// The connection is broken; `errno`.
  case failed(Int32)
}

/// A failed system call: which, and `errno`.
package struct SystemError: Error, CustomStringConvertible {
  package let call: StaticString
  package let number: Int32

  package var description: String { "\(call): \(unsafe String(cString: strerror(number)))" }
}

/// The one door to the kernel's stream sockets. A descriptor has one owner, who closes it once.
package enum Socket {
  /// A listening socket.
  ///
  /// - Parameter sharesPort: lets several sockets listen on the port (`SO_REUSEPORT`), so that each loop has its own.
  package static func listen(
    on address: SocketAddress, sharesPort: Bool, backlog: Int32 = 4096
  ) throws(SystemError) -> Int32 {
    let descriptor = clinux_stream_socket(address.family)
    guard descriptor >= 0 else { throw SystemError(call: "socket", number: errno) }
    set(descriptor, SOL_SOCKET, SO_REUSEADDR)
    if sharesPort { set(descriptor, SOL_SOCKET, SO_REUSEPORT) }
    let bound = unsafe address.withSystemForm { unsafe bind(descriptor, $0, $1) }
    if bound != 0 || Glibc.listen(descriptor, backlog) != 0 {
      let error = SystemError(call: bound != 0 ? "bind" : "listen", number: errno)
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// The address that a socket is bound to: tells the port that the kernel picked for port 0.
  package static func localAddress(of descriptor: Int32) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? SocketAddress(storage: storage) : nil
  }

  package enum Accepted {
    case connection(Int32, SocketAddress)
    case none
    /// No descriptor or memory left: stop accepting for a while.
    case exhausted
  }

  package static func accept(from listener: Int32) -> Accepted {
    while true {
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let descriptor = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe clinux_accept(listener, $0, &length)
        }
      }
      if descriptor >= 0 {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
        return .connection(descriptor, SocketAddress(storage: storage) ?? SocketAddress(host: .v4(0), port: 0))
      }
      switch errno {
      case EINTR, ECONNABORTED, EPROTO: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
      default: return .none
      }
    }
  }

  /// Starts to connect; the socket becomes writable when it is done, well or badly (see `pendingError`).
  package static func connect(to address: SocketAddress) throws(SystemError) -> Int32 {
    let descriptor = clinux_stream_socket(address.family)
    guard descriptor >= 0 else { throw SystemError(call: "socket", number: errno) }
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
    if address.isLoopback { avoidPacing(descriptor) }
    let result = unsafe address.withSystemForm { unsafe Glibc.connect(descriptor, $0, $1) }
    if result != 0 && errno != EINPROGRESS {
      let error = SystemError(call: "connect", number: errno)
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// The error that a connect left, 0 for none.
  package static func pendingError(_ descriptor: Int32) -> Int32 {
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
    return result == 0 ? error : errno
  }

  /// Reads into the room behind the block's bytes. The block must have room.
  package static func receive(_ descriptor: Int32, into block: inout ByteBlock) -> Transfer {
    let tail = unsafe block.tail
    precondition(tail.count > 0)
    while true {
      let count = unsafe clinux_receive(descriptor, tail.baseAddress, tail.count)
      if count > 0 {
        block.filled(count)
        return .moved(count)
      }
      if count == 0 { return .ended }
      if errno != EINTR { return failure() }
    }
  }

  package static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Transfer {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      while true {
        let count = unsafe clinux_send(descriptor, bytes.baseAddress, bytes.count)
        if count >= 0 { return .moved(count) }
        if errno != EINTR { return failure() }
      }
    }
  }

  /// Sends two runs of bytes as one.
  package static func send(_ descriptor: Int32, _ first: Span<UInt8>, _ second: Span<UInt8>) -> Transfer {
    unsafe first.withUnsafeBufferPointer { first in
      unsafe second.withUnsafeBufferPointer { second in
        while true {
          let count = unsafe clinux_send2(
            descriptor, first.baseAddress, first.count, second.baseAddress, second.count)
          if count >= 0 { return .moved(count) }
          if errno != EINTR { return failure() }
        }
      }
    }
  }

  /// Bytes sent that the peer's machine has not taken yet: falls while the peer reads, however slowly.
  package static func queuedBytes(_ descriptor: Int32) -> Int { Int(clinux_queued_bytes(descriptor)) }

  /// Ends the sending direction: the peer reads the end of the stream.
  package static func finishSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  package static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  private static func failure() -> Transfer {
    let number = errno
    return number == EAGAIN || number == EWOULDBLOCK ? .wouldBlock : .failed(number)
  }

  /// There is no congestion within a machine: where the system's default paces (BBR), a timer a segment is for nothing.
  private static func avoidPacing(_ descriptor: Int32) {
    let algorithm: StaticString = "reno"
    _ = unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, algorithm.utf8Start, socklen_t(algorithm.utf8CodeUnitCount))
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    _ = unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }
}
