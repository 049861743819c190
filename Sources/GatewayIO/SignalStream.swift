import Glibc
import Synchronization

/// Signals of the process as a stream, so that they are handled in ordinary code.
package enum SignalStream {
  package enum Signal: UInt8, Sendable {
    /// Reload.
    case hangUp = 1
    /// End after a drain.
    case interrupt = 2
    case terminate = 15
  }

  /// The pipe that handlers write to: all that may be done in one (signal-safety(7)).
  private static let pipeEnd = Atomic<Int32>(-1)

  /// Takes the process's signals over, and ignores SIGPIPE: a peer that has gone is an error of the write. Called once.
  package static func start() throws(SystemError) -> AsyncStream<Signal> {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw SystemError(call: "pipe", number: errno) }
    pipeEnd.store(ends[1], ordering: .releasing)
    _ = signal(SIGPIPE, SIG_IGN)
    for number in [SIGHUP, SIGINT, SIGTERM] { install(number) }
    let (stream, continuation) = AsyncStream.makeStream(of: Signal.self)
    let reading = ends[0]
    Thread.start(name: "signals") {
      var number: UInt8 = 0
      while true {
        let count = unsafe read(reading, &number, 1)
        if count == 1, let signal = Signal(rawValue: number) { continuation.yield(signal) }
        if count == 0 || (count < 0 && errno != EINTR) { return }
      }
    }
    return stream
  }

  private static func install(_ number: Int32) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { number in
      let saved = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = unsafe write(SignalStream.pipeEnd.load(ordering: .acquiring), &byte, 1)
      errno = saved
    }
    action.sa_flags = SA_RESTART
    _ = unsafe sigaction(number, &action, nil)
  }
}
