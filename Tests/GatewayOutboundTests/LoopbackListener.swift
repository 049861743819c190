import GatewayBase
import GatewayIO
import Glibc

/// A port of 127.0.0.1 whose connections each have a thread.
final class LoopbackListener: Sendable {
  let port: UInt16
  private let listener: Int32
  private let open = Locked<[Int32]>([])

  /// - Parameter serve: what is done with a connection; they count from 1.
  init(_ serve: @escaping @Sendable (_ socket: Int32, _ number: Int) -> Void) {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        precondition(unsafe bind(listener, generic, length) == 0)
        precondition(listen(listener, 16) == 0)
        precondition(unsafe getsockname(listener, generic, &length) == 0)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    let open = open
    Thread.start(name: "loopback") {
      var connection = 0
      while case let socket = accept(listener, nil, nil), socket >= 0 {
        connection += 1
        open.withLock { $0.append(socket) }
        let number = connection
        Thread.start(name: "loopback") { serve(socket, number) }
      }
    }
  }

  deinit { stop() }

  /// Ends the listener and every connection.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    let sockets = open.withLock { sockets in
      defer { sockets = [] }
      return sockets
    }
    for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
  }
}
