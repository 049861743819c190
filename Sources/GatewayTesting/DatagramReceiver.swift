import Glibc

/// A Unix datagram socket, as a service manager listens on one.
package final class DatagramReceiver: Sendable {
  private let descriptor: Int32

  /// - Parameter name: a path, or an abstract name behind `@`.
  package init(_ name: String) throws {
    descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    guard descriptor >= 0 else { throw TestFailure("no socket: errno \(errno)") }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(name.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw TestFailure("the name is too long") }
    let isAbstract = bytes.first == UInt8(ascii: "@")
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
      for (index, byte) in bytes.enumerated() { unsafe path[index] = index == 0 && isAbstract ? 0 : byte }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
    }
    guard result == 0 else { throw TestFailure("can't bind the datagram socket: errno \(errno)") }
  }

  deinit { close(descriptor) }

  /// The next datagram as text; nil when none came in time.
  package func next(seconds: Double = Patience.seconds) -> String? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, Int32(seconds * 1000)) > 0 else { return nil }
    return Descriptor.read(descriptor, atMost: 4096).map { String(decoding: $0, as: UTF8.self) }
  }
}
