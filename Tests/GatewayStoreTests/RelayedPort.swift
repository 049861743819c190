import GatewayBase
import GatewayIO
import Glibc

/// A loopback port that passes bytes to another one, until it is told to fall silent.
final class RelayedPort: Sendable {
  let port: UInt16
  private let isSilent = Locked(false)

  init(to target: UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    port = Self.bound(listener, &address)
    Thread.start(name: "relay") { [isSilent] in
      while true {
        let client = accept(listener, nil, nil)
        let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard client >= 0, Self.connect(upstream, to: target) else { return }
        Thread.start(name: "relay-up") { Self.copy(client, upstream, isSilent) }
        Thread.start(name: "relay-down") { Self.copy(upstream, client, isSilent) }
      }
    }
  }

  /// Keeps every connection open, and passes no byte any more.
  func fallSilent() { isSilent.withLock { $0 = true } }

  private static func bound(_ listener: Int32, _ address: inout sockaddr_in) -> UInt16 {
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = unsafe bind(listener, $0, size)
        _ = unsafe getsockname(listener, $0, &size)
      }
    }
    listen(listener, 64)
    return UInt16(bigEndian: address.sin_port)
  }

  private static func connect(_ descriptor: Int32, to port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    return unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func copy(_ source: Int32, _ target: Int32, _ isSilent: Locked<Bool>) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = unsafe recv(source, &buffer, buffer.count, 0)
      if count > 0 && isSilent.withLock({ $0 }) { continue }
      guard count > 0, unsafe send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
    }
    shutdown(target, Int32(SHUT_RDWR))
  }
}
