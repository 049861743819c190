import GatewayBase
import Glibc
import Synchronization

/// A log of one line an event that costs those who write to it next to nothing: lines go into a buffer of their
/// thread's own, and a thread of the log's own writes them, many at a time.
///
/// It never holds anybody up. Where the sink takes nothing (a pipe that nobody reads, a full disk), lines are dropped
/// and counted.
package final class LineLog: Sendable {
  package enum Sink: Sendable, Equatable {
    case standardOutput
    /// A file that lines are appended to; made (mode 0640) where it is absent.
    case file(String)
  }

  private let sink: Sink
  private let buffers: [LineBuffer]
  private let writer: LineWriter
  private let state: Signalled

  /// Opens the sink and starts the writer.
  ///
  /// - Parameters:
  ///   - threads: that write lines, each with a buffer of its own.
  ///   - capacity: bytes of half a buffer.
  ///   - interval: milliseconds that a line waits at most.
  /// - Throws: `SystemError` where the file can't be opened.
  package init(
    to sink: Sink, threads: Int, capacity: Int = Limits.lineBuffer, interval: Int = Limits.lineDelay
  ) throws(SystemError) {
    self.sink = sink
    writer = LineWriter(descriptor: try Self.open(sink))
    buffers = (0..<threads).map { _ in LineBuffer(capacity: capacity) }
    state = Signalled()
    Thread.start(name: "log") { [buffers, writer, state] in
      var goesOn = true
      while goesOn {
        goesOn = state.wait(milliseconds: interval)
        for buffer in buffers { buffer.empty { writer.write($0) } }
      }
      state.markDone()
    }
  }

  deinit { state.stop() }

  /// Takes in a line, its line feed included.
  ///
  /// - Parameter thread: which of the threads the caller is.
  package func append(_ line: Span<UInt8>, of thread: Int) {
    if buffers[thread].append(line) { state.wake() }
  }

  /// Lines that were lost: no room in a buffer, or the sink took them not.
  package var dropped: UInt64 { buffers.reduce(writer.dropped) { $0 &+ $1.dropped } }

  /// Opens the file anew, after something has moved it away.
  ///
  /// - Throws: `SystemError` where that fails: lines go on to where they went before.
  package func reopen() throws(SystemError) {
    guard case .file = sink else { return }
    writer.exchange(for: try Self.open(sink))
  }

  /// Writes what has come, and ends the writer; returns when all is written or the time is over.
  package func finish(milliseconds: Int) {
    state.stop()
    state.waitUntilDone(milliseconds: milliseconds)
  }

  private static func open(_ sink: Sink) throws(SystemError) -> Int32 {
    switch sink {
    case .standardOutput: return STDOUT_FILENO
    case .file(let path):
      let descriptor = unsafe Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
      guard descriptor >= 0 else { throw SystemError(call: "open", number: errno) }
      return descriptor
    }
  }
}

/// Writes whole batches of lines to a descriptor, whatever becomes of it.
private final class LineWriter: Sendable {
  private struct State {
    var descriptor: Int32
    var next: Int32?
  }

  private let state: Locked<State>
  private let lost = Atomic<UInt64>(0)
  /// Whether the last line was cut, so that the next must not stick to it. The writer's thread alone uses it.
  private let isCut = Atomic<Bool>(false)

  init(descriptor: Int32) { state = Locked(State(descriptor: descriptor)) }

  deinit {
    state.withLock { state in
      if let next = state.next { Socket.close(next) }
      if state.descriptor > STDERR_FILENO { Socket.close(state.descriptor) }
    }
  }

  var dropped: UInt64 { lost.load(ordering: .relaxed) }

  /// Puts another descriptor in the place of the present one before the next batch.
  func exchange(for descriptor: Int32) {
    state.withLock { state in
      if let next = state.next { Socket.close(next) }
      state.next = descriptor
    }
  }

  private var descriptor: Int32 {
    state.withLock { state in
      if let next = state.next.take() {
        if state.descriptor > STDERR_FILENO { Socket.close(state.descriptor) }
        state.descriptor = next
      }
      return state.descriptor
    }
  }

  func write(_ lines: Span<UInt8>) {
    let descriptor = descriptor
    if isCut.load(ordering: .relaxed) {
      let end: [UInt8] = [lineFeed]
      isCut.store(put(end.span, descriptor) == 0, ordering: .relaxed)
    }
    let written = put(lines, descriptor)
    guard written < lines.count else { return }
    if written > 0, lines[written - 1] != lineFeed { isCut.store(true, ordering: .relaxed) }
    var missing: UInt64 = 0
    for index in written..<lines.count where lines[index] == lineFeed { missing += 1 }
    lost.store(lost.load(ordering: .relaxed) &+ missing, ordering: .relaxed)
  }

  /// Writes until all is out or the sink refuses, and returns how many bytes it took.
  private func put(_ bytes: Span<UInt8>, _ descriptor: Int32) -> Int {
    var written = 0
    while written < bytes.count {
      let rest = bytes.extracting(written..<bytes.count)
      let count = unsafe rest.withUnsafeBufferPointer { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        written += count
      } else if count < 0 && errno == EAGAIN {
        // Somebody else has made this stream nonblocking: it is theirs too, so it stays that way.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&entry, 1, 1000) > 0 else { return written }
      } else if count == 0 || errno != EINTR {
        return written
      }
    }
    return written
  }
}

private let lineFeed = UInt8(ascii: "\n")
