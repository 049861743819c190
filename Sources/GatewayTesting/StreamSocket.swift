import CLinux
import GatewayBase
import Glibc

/// One TCP connection on loopback with blocking calls that end at a deadline.
///
/// One thread at a time uses it.
final class StreamSocket: TestWire, Sendable {
  private let descriptor: Int32
  private let isOpen = Locked(true)

  init(adopting descriptor: Int32) {
    self.descriptor = descriptor
    var on: Int32 = 1
    unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// - Parameter receiveBuffer: bytes of the kernel's receive buffer, small for a reader that is meant to be slow.
  static func connect(port: UInt16, receiveBuffer: Int32? = nil) throws -> StreamSocket {
    StreamSocket(adopting: try Loopback.connect(port: port, receiveBuffer: receiveBuffer))
  }

  deinit { close() }

  package func close() { closeOnce {} }

  /// Ends the connection with RST.
  package func reset() {
    closeOnce { Loopback.prepareReset(descriptor) }
  }

  private func closeOnce(_ before: () -> Void) {
    isOpen.withLock { isOpen in
      guard isOpen else { return }
      isOpen = false
      before()
      Glibc.close(descriptor)
    }
  }

  package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Ends both directions, also under the hands of another thread that waits on it.
  func cut() { isOpen.withLock { if $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } } }

  /// Sends all of it.
  ///
  /// - Throws: `TestFailure` where the peer has closed or takes nothing until the deadline.
  package func send(_ bytes: [UInt8], deadline: Deadline) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      try wait(Int16(POLLOUT), deadline)
      let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
      let sent = unsafe rest.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
      if sent >= 0 { rest = rest.dropFirst(sent) } else if errno != EINTR, errno != EAGAIN { throw PeerClosed() }
    }
  }

  package func receive(deadline: Deadline) throws -> [UInt8] { try receive(atMost: 65_536, deadline: deadline) }

  /// The next bytes, empty at the end of the stream.
  ///
  /// - Throws: `PeerClosed` on a reset, `TestFailure` at the deadline.
  func receive(atMost count: Int, deadline: Deadline) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    while true {
      try wait(Int16(POLLIN), deadline)
      let flags = Int32(MSG_DONTWAIT)
      let got = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, flags) }
      if got >= 0 { return Array(buffer.prefix(got)) }
      if errno != EINTR, errno != EAGAIN { throw PeerClosed() }
    }
  }

  private func wait(_ events: Int16, _ deadline: Deadline) throws {
    // The number of a closed descriptor may already be another connection's.
    guard isOpen.withLock({ $0 }) else { throw PeerClosed() }
    try Loopback.wait(descriptor, Int32(events), deadline)
  }
}

/// The peer reset the connection, or it is closed on this side.
package struct PeerClosed: Error {
  package init() {}
}

/// Sockets on 127.0.0.1.
enum Loopback {
  static func socket() throws -> Int32 {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw TestFailure("no socket: errno \(errno)") }
    return descriptor
  }

  /// A connection, with `TCP_NODELAY`.
  ///
  /// - Parameter receiveBuffer: bytes of the kernel's receive buffer; nil is the kernel's choice.
  static func connect(port: UInt16, receiveBuffer: Int32?) throws -> Int32 {
    let descriptor = try socket()
    if var size = receiveBuffer {
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    guard unsafe withAddress(port: port, { unsafe Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let number = errno
      close(descriptor)
      throw TestFailure("port \(port) refuses connections: errno \(number)")
    }
    var on: Int32 = 1
    unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  /// Waits until a socket is ready for what `events` names, or broken.
  ///
  /// - Throws: `TestFailure` at the deadline.
  static func wait(_ descriptor: Int32, _ events: Int32, _ deadline: Deadline) throws {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      let ready = unsafe poll(&entry, 1, deadline.milliseconds)
      if ready > 0 { return }
      if ready == 0 { throw TestFailure("nothing happened on the connection in time") }
      if errno != EINTR { throw PeerClosed() }
    }
  }

  /// Makes the end of a connection an RST.
  static func prepareReset(_ descriptor: Int32) {
    var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
  }

  /// A listening socket on a port that the kernel picks, or on `port`, and that port.
  static func listen(port: UInt16 = 0, backlog: Int32 = 512) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = try socket()
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var on: Int32 = 1
    // On both, so that a later listener may have the port while connections of this one are on their way out.
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    let result = unsafe withAddress(port: port) { unsafe bind(descriptor, $0, $1) }
    guard result == 0, Glibc.listen(descriptor, backlog) == 0 else { throw TestFailure("can't listen: errno \(errno)") }
    unsafe withUnsafeMutablePointer(to: &address) {
      _ = unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// A listening Unix socket, in place of what was at `path`.
  static func listen(unixPath path: String) throws -> Int32 {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw TestFailure("no socket: errno \(errno)") }
    unsafe unlink(path)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
      for (index, byte) in path.utf8.prefix(room.count - 1).enumerated() { unsafe room[index] = byte }
    }
    let bound = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, Glibc.listen(descriptor, 512) == 0 else { throw TestFailure("can't listen: errno \(errno)") }
    return descriptor
  }

  static func withAddress<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
    }
  }
}
