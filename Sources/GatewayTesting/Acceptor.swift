import CLinux
import GatewayBase
import GatewayIO
import Glibc

/// Takes the connections of a test's backend, on a thread of its own, until it is stopped.
final class Acceptor: Sendable {
  private let listener: Int32
  private let isStopped = Locked(false)

  /// - Parameter take: gets each connection, on the accepting thread.
  init(_ listener: Int32, name: String, _ take: @escaping @Sendable (StreamSocket) -> Void) {
    self.listener = listener
    Thread.start(name: name) { [listener] in
      while true {
        let descriptor = accept(listener, nil, nil)
        if descriptor < 0 {
          if errno == EINTR || errno == ECONNABORTED { continue }
          // Closed here and not in `stop`: only then can no other socket have got its number meanwhile.
          close(listener)
          return
        }
        take(StreamSocket(adopting: descriptor))
      }
    }
  }

  deinit { stop() }

  /// Refuses new connections from now on; open ones stay.
  func stop() {
    isStopped.withLock { isStopped in
      guard !isStopped else { return }
      isStopped = true
      shutdown(listener, Int32(SHUT_RDWR))
    }
  }
}
