import GatewayBase
import GatewayTesting
import Glibc
import Testing

@testable import GatewayIO

@Suite struct EventLoopTests {
  @Test("Messages are run in the order in which they were posted")
  func order() throws {
    let loop = try TestLoop()
    for index in 0..<1_000 { loop.post { $0.log.append(index) } }
    #expect(try loop.ask { $0.log } == Array(0..<1_000))
  }

  @Test("Messages of many threads all arrive")
  func manyThreads() throws {
    let loop = try TestLoop()
    _ = try Parallel.run(4) { thread in
      for index in 0..<500 { loop.post { $0.log.append(thread * 1_000 + index) } }
    }
    let log = try loop.ask { $0.log }
    #expect(log.count == 2_000)
    for thread in 0..<4 { #expect(log.filter { $0 / 1_000 == thread } == (0..<500).map { thread * 1_000 + $0 }) }
  }

  @Test("A task that prefers the loop runs on its thread, also after it has waited")
  func executor() async throws {
    let loop = try TestLoop()
    let thread = try loop.ask { _ in pthread_self() }
    let task = Task(executorPreference: loop.loop) {
      let before = pthread_equal(pthread_self(), thread) != 0
      await Task.yield()
      return before && pthread_equal(pthread_self(), thread) != 0
    }
    #expect(await task.value)
  }

  @Test("A loop that is stopped delivers what was posted before, and ends its handler")
  func stop() throws {
    let loop = try EventLoop()
    let (delivered, ended) = (Monitor(0), Gate())
    loop.start(name: "test-loop") { _ in Recorder(ended) }
    for _ in 0..<10 { loop.post { _ in delivered.change { $0 += 1 } } }
    loop.stop()
    try ended.pass()
    #expect(delivered.current == 10)
  }

  @Test("A timer comes up on the loop's thread after its time")
  func timer() throws {
    let loop = try TestLoop()
    let start = try loop.ask { recorder in
      recorder.arm(milliseconds: 60)
      return recorder.now
    }
    let fired = loop.fired.wait { $0 }
    #expect((fired ?? 0) >= start + 60)
  }

  @Test("The readiness of a socket is told with its handle")
  func readiness() throws {
    let loop = try TestLoop()
    let listener = try Socket.listen(on: SocketAddress(host: .v4(0x7F00_0001), port: 0), sharesPort: true)
    defer { Socket.close(listener) }
    let address = try #require(Socket.localAddress(of: listener))
    loop.post { $0.watch(listener) }
    let connection = try LoopbackConnection(port: address.port)
    #expect(loop.ready.wait { $0 } == Handle(raw: 99))
    loop.post { $0.unwatch(listener) }
    connection.close()
  }
}

/// A loop with a handler that notes what it is told.
private final class TestLoop: Sendable {
  let loop: EventLoop
  let fired = Monitor<UInt64?>(nil)
  let ready = Monitor<Handle?>(nil)

  init() throws {
    loop = try EventLoop()
    let (fired, ready) = (fired, ready)
    loop.start(name: "test-loop") { Recorder($0, fired, ready) }
  }

  deinit { loop.stop() }

  func post(_ body: @escaping @Sendable (Recorder) -> Void) {
    loop.post { handler in if let recorder = handler as? Recorder { body(recorder) } }
  }

  func ask<Answer: Sendable>(_ question: @escaping @Sendable (Recorder) -> Answer) throws -> Answer {
    let answer = Monitor<Answer?>(nil)
    post { recorder in answer.change { $0 = question(recorder) } }
    return try #require(answer.wait { $0 })
  }
}

private final class Recorder: LoopHandler {
  var log: [Int] = []
  private let loop: EventLoop?
  private let ended: Gate?
  private let fired: Monitor<UInt64?>?
  private let seen: Monitor<Handle?>?
  private let deadline = Pinned(Deadline())

  init(_ loop: EventLoop, _ fired: Monitor<UInt64?>, _ seen: Monitor<Handle?>) {
    (self.loop, self.fired, self.seen, ended) = (loop, fired, seen, nil)
  }

  init(_ ended: Gate) { (loop, fired, seen, self.ended) = (nil, nil, nil, ended) }

  deinit { ended?.open() }

  var now: UInt64 { loop?.clock.milliseconds ?? 0 }

  func arm(milliseconds: UInt64) {
    loop?.wheel.set(&deadline.value, of: Handle(raw: 5), to: now + milliseconds)
  }

  func watch(_ descriptor: Int32) { loop?.poller.watchInput(descriptor, as: Handle(raw: 99)) }

  func unwatch(_ descriptor: Int32) { loop?.poller.unwatch(descriptor) }

  func ready(_ handle: Handle, _ readiness: Readiness) {
    if readiness.contains(.readable) { seen?.change { $0 = handle } }
  }

  func turnEnded() {}

  func timerCameUp(_ handle: Handle, tick: UInt64) {
    guard let loop, loop.wheel.isDue(&deadline.value, of: handle, now: now, tick: tick) else { return }
    fired?.change { [now] in $0 = now }
  }
}
