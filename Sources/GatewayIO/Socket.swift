import CLinux
import GatewayBase
import Glibc

/// What a transfer did.
public enum Transfer: Equatable {
  /// Bytes that went through; less than asked for means that the kernel has no more, or no more room.
  case moved(Int)
  /// Nothing now; an event will come.
  case wouldBlock
  /// The peer ended its direction.
  case ended
  /// The connection is broken; `errno`.
  case failed(Int32)
}

/// The one door to the kernel's stream sockets. A descriptor has one owner, who closes it once.
public enum Socket {
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

  /// Connects to the Unix socket at `path`; as with an address, it becomes writable when that is done.
  ///
  /// - Throws: where nobody listens there, or its queue is full: nothing would tell when it has room.
  package static func connect(toUnix path: String) throws(SystemError) -> Int32 {
    let descriptor = clinux_stream_socket(AF_UNIX)
    guard descriptor >= 0 else { throw SystemError(call: "socket", number: errno) }
    let result = unsafe withUnixForm(of: path) { unsafe Glibc.connect(descriptor, $0, $1) }
    if result != 0 {
      let error = SystemError(call: "connect", number: errno)
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// The address at a connection's other end; nil where there is none (now), or it is no address of a network.
  package static func peerAddress(of descriptor: Int32) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getpeername(descriptor, $0, &length) }
    }
    return result == 0 ? SocketAddress(storage: storage) : nil
  }

  /// The error that a connect left, 0 for none.
  package static func pendingError(_ descriptor: Int32) -> Int32 {
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
    return result == 0 ? error : errno
  }

  /// Reads into the room behind the block's bytes, `limit` bytes at most. The block must have room.
  public static func receive(_ descriptor: Int32, into block: inout ByteBlock, limit: Int = .max) -> Transfer {
    let tail = unsafe block.tail
    precondition(tail.count > 0 && limit > 0)
    while true {
      let count = unsafe clinux_receive(descriptor, tail.baseAddress, min(tail.count, limit))
      if count > 0 {
        block.filled(count)
        return .moved(count)
      }
      if count == 0 { return .ended }
      if errno != EINTR { return failure() }
    }
  }

  /// Looks at the bytes that wait, `count` of them at most, and leaves them where they are. The block must have room.
  package static func peek(_ descriptor: Int32, into block: inout ByteBlock, atMost count: Int) -> Transfer {
    let tail = unsafe block.tail
    precondition(tail.count > 0 && count > 0)
    while true {
      let count = unsafe recv(descriptor, tail.baseAddress, min(count, tail.count), Int32(MSG_PEEK))
      if count > 0 {
        block.filled(count)
        return .moved(count)
      }
      if count == 0 { return .ended }
      if errno != EINTR { return failure() }
    }
  }

  /// Takes `count` bytes that are known to wait, and drops them; false where they are not there.
  ///
  /// - Parameter block: scratch; its bytes are overwritten.
  package static func skip(_ descriptor: Int32, _ count: Int, using block: inout ByteBlock) -> Bool {
    var left = count
    while left > 0 {
      block.clear()
      let tail = unsafe block.tail
      let taken = unsafe recv(descriptor, tail.baseAddress, min(left, tail.count), 0)
      if taken > 0 { left -= taken } else if taken == 0 || errno != EINTR { return false }
    }
    return true
  }

  /// Reads into memory that is no block's. It must not be empty.
  package static func receive(_ descriptor: Int32, into memory: inout MutableSpan<UInt8>) -> Transfer {
    precondition(!memory.isEmpty)
    return unsafe memory.withUnsafeMutableBufferPointer { memory in
      while true {
        let count = unsafe clinux_receive(descriptor, memory.baseAddress, memory.count)
        if count > 0 { return .moved(count) }
        if count == 0 { return .ended }
        if errno != EINTR { return failure() }
      }
    }
  }

  /// Sends as much as the kernel takes.
  public static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Transfer {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      while true {
        let count = unsafe clinux_send(descriptor, bytes.baseAddress, bytes.count)
        if count >= 0 { return .moved(count) }
        if errno != EINTR { return failure() }
      }
    }
  }

  /// Sends two runs of bytes as one.
  public static func send(_ descriptor: Int32, _ first: Span<UInt8>, _ second: Span<UInt8>) -> Transfer {
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

  /// Whether a read would find nothing now, neither bytes nor an end.
  package static func isDrained(_ descriptor: Int32) -> Bool { clinux_is_drained(descriptor) == 1 }

  /// Bytes sent that the peer's machine has not taken yet: falls while the peer reads, however slowly.
  package static func queuedBytes(_ descriptor: Int32) -> Int { Int(clinux_queued_bytes(descriptor)) }

  /// Ends the sending direction: the peer reads the end of the stream.
  public static func finishSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Gives the descriptor back to the system.
  public static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  /// The kernel's form of a Unix socket's path, cut where it has no room (unix(7)).
  private static func withUnixForm(
    of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var form = sockaddr_un()
    form.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &form.sun_path) { room in
      // One byte stays 0: the end of the path.
      for (index, byte) in path.utf8.prefix(room.count - 1).enumerated() { unsafe room[index] = byte }
    }
    return unsafe withUnsafePointer(to: &form) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  static func failure() -> Transfer {
    let number = errno
    return number == EAGAIN || number == EWOULDBLOCK ? .wouldBlock : .failed(number)
  }

  /// There is no congestion within a machine: where the system's default paces (BBR), a timer a segment is for nothing.
  package static func avoidPacing(_ descriptor: Int32) {
    let algorithm: StaticString = "reno"
    _ = unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, algorithm.utf8Start, socklen_t(algorithm.utf8CodeUnitCount))
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    _ = unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }
}
