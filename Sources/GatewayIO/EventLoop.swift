import CLinux
import GatewayBase
import Glibc

/// What a loop drives. All calls come on the loop's thread.
package protocol LoopHandler: AnyObject {
  /// A watched descriptor is ready. The handle may be of a record that has gone.
  func ready(_ handle: Handle, _ readiness: Readiness)
  /// An entry of the loop's timer wheel came up: ask `TimerWheel.isDue`.
  func timerCameUp(_ handle: Handle, tick: UInt64)
  /// All that was ready, posted or due has been seen to: what was put off to be done once is done now.
  func turnEnded()
}

/// A thread that waits for descriptors, messages and timers, and runs what they are for.
///
/// It is also a Swift task executor: `Task(executorPreference: loop)` runs plain async code on its thread, between
/// events, so that the slow path needs no thread of its own.
///
/// `@unchecked Sendable`: `mailbox` is locked; `poller`, `wheel` and `clock` are touched on the loop's thread alone,
/// which starts after they are set.
package final class EventLoop: TaskExecutor, @unchecked Sendable {
  private enum Message {
    case job(UnownedJob)
    case call(@Sendable (any LoopHandler) -> Void)
  }

  private struct Mailbox {
    var messages: [Message] = []
    var isAwake = false
    var stopped = false
  }

  package let poller: Poller
  package let wheel: TimerWheel
  package let clock: LoopClock
  private let wake: Int32
  private let mailbox = Locked(Mailbox())
  private static let wakeHandle = Handle(raw: .max)

  package init() throws(SystemError) {
    poller = try Poller()
    clock = LoopClock()
    wheel = TimerWheel(now: clock.milliseconds)
    wake = clinux_eventfd()
    guard wake >= 0 else { throw SystemError(call: "eventfd", number: errno) }
    poller.watchInput(wake, as: Self.wakeHandle)
  }

  deinit { Socket.close(wake) }

  /// Starts the thread. `makeHandler` runs on it, once, before anything else.
  package func start(name: String, _ makeHandler: @escaping @Sendable (EventLoop) -> any LoopHandler) {
    Thread.start(name: name) { [self] in run(makeHandler(self)) }
  }

  /// Runs `body` on the loop's thread with its handler. After `stop` it is dropped.
  package func post(_ body: @escaping @Sendable (any LoopHandler) -> Void) { send(.call(body)) }

  package func enqueue(_ job: consuming ExecutorJob) { send(.job(UnownedJob(job))) }

  /// Ends the thread after what is in the mailbox now.
  package func stop() {
    mailbox.withLock { $0.stopped = true }
    wakeUp()
  }

  private func send(_ message: Message) {
    let mustWake = mailbox.withLock { mailbox in
      mailbox.messages.append(message)
      defer { mailbox.isAwake = true }
      return !mailbox.isAwake
    }
    if mustWake { wakeUp() }
  }

  private func wakeUp() {
    var one: UInt64 = 1
    _ = unsafe write(wake, &one, MemoryLayout<UInt64>.size)
  }

  private func run(_ handler: any LoopHandler) {
    while true {
      let pause = wheel.millisecondsToNext(now: clock.milliseconds)
      poller.wait(milliseconds: pause) {
        clock.update()
      } event: { handle, readiness in
        if handle == Self.wakeHandle { drainWake() } else { handler.ready(handle, readiness) }
      }
      guard deliver(to: handler) else { return }
      wheel.advance(to: clock.milliseconds) { handle, tick in handler.timerCameUp(handle, tick: tick) }
      handler.turnEnded()
    }
  }

  private func drainWake() {
    var count: UInt64 = 0
    _ = unsafe read(wake, &count, MemoryLayout<UInt64>.size)
  }

  /// Runs what the mailbox holds now; false once stopped. Messages that come meanwhile wait for the next turn.
  private func deliver(to handler: any LoopHandler) -> Bool {
    var messages: [Message] = []
    let stopped = mailbox.withLock { mailbox in
      swap(&messages, &mailbox.messages)
      mailbox.isAwake = false
      return mailbox.stopped
    }
    for message in messages {
      switch message {
      case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      case .call(let body): body(handler)
      }
    }
    return !stopped
  }
}

/// The time as the loop saw it when its last wait ended: one clock call for each batch of events.
///
/// Not shared: only the loop's thread touches it.
@safe package struct LoopClock: ~Copyable {
  private let times: UnsafeMutablePointer<(nanoseconds: UInt64, milliseconds: UInt64, unix: UnixTime)>

  init() {
    unsafe times = .allocate(capacity: 1)
    unsafe times.initialize(to: Self.now)
  }

  deinit { unsafe times.deallocate() }

  /// Monotonic milliseconds: for deadlines.
  package var milliseconds: UInt64 { unsafe times.pointee.milliseconds }
  /// Monotonic microseconds: for durations.
  package var microseconds: UInt64 { unsafe times.pointee.nanoseconds / 1000 }
  /// Wall clock: for expiry and logs.
  package var unix: UnixTime { unsafe times.pointee.unix }

  func update() { unsafe times.pointee = Self.now }

  private static var now: (nanoseconds: UInt64, milliseconds: UInt64, unix: UnixTime) {
    let nanoseconds = MonotonicClock.nanoseconds
    return (nanoseconds, nanoseconds / 1_000_000, SystemClock().now)
  }
}
