import CLinux
import GatewayBase
import Glibc

/// The way to tell a service manager how the process is (sd_notify(3)): one datagram a message, no library.
package struct ServiceManager: Sendable {
  private let path: String?

  /// - Parameter environment: with `NOTIFY_SOCKET` where a manager wants to know.
  package init(_ environment: [String: String]) { path = environment["NOTIFY_SOCKET"] }

  /// Requests are served, by this process, whichever the manager started.
  package func tellReady() { tell("READY=1\nMAINPID=\(getpid())\nSTATUS=Serving") }

  /// The configuration is being read again; `tellReady` says when that is done.
  package func tellReloading() { tell("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.nanoseconds / 1000)") }

  /// The drain has begun.
  package func tellStopping() { tell("STOPPING=1\nSTATUS=Draining") }

  /// Nobody is told where that fails: the manager's time limits then decide.
  private func tell(_ text: String) {
    guard let path, let address = UnixAddress(path) else { return }
    let descriptor = clinux_unix_socket(Int32(SOCK_DGRAM.rawValue))
    guard descriptor >= 0 else { return }
    defer { Socket.close(descriptor) }
    let bytes = Array(text.utf8)
    _ = unsafe address.withSystemForm { form, length in
      unsafe bytes.withUnsafeBytes {
        unsafe sendto(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), form, length)
      }
    }
  }
}
