import CLinux
import Glibc

/// Detached threads of the process. SIGPIPE is kept from them: a peer that has gone is an error of the write.
package enum Thread {
  /// Starts a thread that runs `body` once and ends.
  ///
  /// - Parameters:
  ///   - name: as tools show it; cut at the 15 bytes that Linux keeps.
  ///   - yields: whether the thread gives way to the others where processors are short.
  package static func start(name: String, yields: Bool = false, _ body: @escaping @Sendable () -> Void) {
    let start = unsafe Unmanaged.passRetained(ThreadStart(name: name, yields: yields, body: body))
    var thread = pthread_t()
    let result = unsafe pthread_create(
      &thread, nil,
      { argument in
        let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue()
        unsafe clinux_set_thread_name(String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
        clinux_block_sigpipe()
        if start.yields { clinux_lower_thread_priority() }
        start.body()
        return nil
      }, start.toOpaque())
    precondition(result == 0, "no thread could be started")
    pthread_detach(thread)
  }

  /// Runs blocking work on a thread of its own and returns what it returns: for what may take long and is rare.
  package static func run<Result: Sendable>(
    name: String, _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      start(name: name) { continuation.resume(returning: body()) }
    }
  }
}

private final class ThreadStart: Sendable {
  let name: String
  let yields: Bool
  let body: @Sendable () -> Void

  init(name: String, yields: Bool, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.yields = yields
    self.body = body
  }
}
