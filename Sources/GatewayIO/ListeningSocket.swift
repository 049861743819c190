import CLinux
import GatewayBase
import Glibc

// Sockets that listen already, made by another process.
extension Socket {
  /// Another descriptor of the same socket; nil where there is none left.
  package static func duplicate(_ descriptor: Int32) -> Int32? {
    let copy = clinux_duplicate(descriptor)
    return copy >= 0 ? copy : nil
  }

  /// Whether other sockets may listen on the same port (`SO_REUSEPORT`).
  package static func sharesPort(_ descriptor: Int32) -> Bool {
    flag(descriptor, SO_REUSEPORT)
  }

  /// Makes a socket that came from elsewhere fit for a loop: nonblocking, closed in child processes.
  ///
  /// - Returns: the address that it listens on; nil where it is no stream socket of IP that listens.
  package static func adopt(listener descriptor: Int32) -> SocketAddress? {
    guard flag(descriptor, SO_ACCEPTCONN), let address = localAddress(of: descriptor),
      clinux_make_private(descriptor) == 0
    else { return nil }
    return address
  }

  private static func flag(_ descriptor: Int32, _ option: Int32) -> Bool {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return unsafe getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 && value != 0
  }
}

/// Sockets that a service manager opened before this process began (sd_listen_fds(3)).
package enum ActivatedSockets {
  /// One that was passed.
  package struct Passed: Sendable, Equatable {
    package let descriptor: Int32
    package let address: SocketAddress
    /// `FileDescriptorName=` of the socket unit; empty where it has none.
    package let name: String

    package init(descriptor: Int32, address: SocketAddress, name: String) {
      self.descriptor = descriptor
      self.address = address
      self.name = name
    }
  }

  private static var first: Int32 { 3 }

  /// Takes the sockets that are meant for this process. Called once, before anything else opens descriptors.
  ///
  /// - Returns: those that listen, and how many others were passed, which are left alone.
  package static func take(_ environment: [String: String]) -> (sockets: [Passed], unfit: Int) {
    guard environment["LISTEN_PID"].flatMap({ pid_t($0) }) == getpid(),
      let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...1024).contains(count)
    else { return ([], 0) }
    let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
    let sockets = (0..<count).compactMap { index -> Passed? in
      let descriptor = first + index
      guard let address = Socket.adopt(listener: descriptor) else { return nil }
      return Passed(
        descriptor: descriptor, address: address, name: Int(index) < names.count ? String(names[Int(index)]) : "")
    }
    return (sockets, Int(count) - sockets.count)
  }
}
