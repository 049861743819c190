import GatewayIO
import GatewayTesting
import Glibc
import Testing

@Suite struct LineLogTests {
  private func append(_ line: String, to log: LineLog, of thread: Int = 0) {
    let bytes = Array("\(line)\n".utf8)
    log.append(bytes.span, of: thread)
  }

  @Test("Lines are in the file within the interval, those of a thread in their order")
  func interval() throws {
    let folder = try TemporaryFolder()
    let log = try LineLog(to: .file(folder.path("log")), threads: 2, interval: 20)
    for number in 0..<10 { append("a\(number)", to: log, of: 0) }
    append("b", to: log, of: 1)
    #expect(try eventually { try folder.read("log").split(separator: "\n").count == 11 })
    let lines = try folder.read("log").split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("a") } == (0..<10).map { "a\($0)" })
    #expect(log.dropped == 0)
  }

  @Test("A half that is half full is written without waiting for the interval")
  func early() throws {
    let folder = try TemporaryFolder()
    let log = try LineLog(to: .file(folder.path("log")), threads: 1, capacity: 64, interval: 3_600_000)
    append(String(repeating: "x", count: 40), to: log)
    #expect(try eventually { try folder.read("log").utf8.count == 41 })
  }

  @Test("The end writes what is left")
  func finish() throws {
    let folder = try TemporaryFolder()
    let log = try LineLog(to: .file(folder.path("log")), threads: 1, interval: 3_600_000)
    append("last", to: log)
    log.finish(milliseconds: 20_000)
    #expect(try folder.read("log") == "last\n")
  }

  @Test("A sink that takes nothing holds nobody up: lines beyond the buffers are dropped and counted")
  func blockedSink() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pipe")
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let reader = unsafe open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let log = try LineLog(to: .file(path), threads: 1, capacity: 4096, interval: 5)
    // The pipe takes 64 KiB by itself.
    let line = String(repeating: "x", count: 1000)
    for _ in 0..<200 { append(line, to: log) }
    #expect(log.dropped > 100)
    log.finish(milliseconds: 10)
  }

  @Test("A full disk costs lines, which are counted, and nothing else")
  func fullDisk() throws {
    let log = try LineLog(to: .file("/dev/full"), threads: 1, interval: 5)
    for _ in 0..<3 { append("lost", to: log) }
    #expect(eventually { log.dropped == 3 })
    append("lost", to: log)
    #expect(eventually { log.dropped == 4 })
  }

  @Test("A file that was moved away is made anew when the log is opened again")
  func reopen() throws {
    let folder = try TemporaryFolder()
    let log = try LineLog(to: .file(folder.path("log")), threads: 1, interval: 5)
    append("before", to: log)
    #expect(try eventually { try folder.read("log") == "before\n" })
    #expect(unsafe rename(folder.path("log"), folder.path("old")) == 0)
    try log.reopen()
    append("after", to: log)
    #expect(eventually { (try? folder.read("log")) == "after\n" })
    #expect(try folder.read("old") == "before\n")
  }

  @Test("A file that can't be opened is an error at once")
  func unopened() {
    #expect(throws: SystemError.self) { try LineLog(to: .file("/nonexistent/log"), threads: 1) }
  }
}
