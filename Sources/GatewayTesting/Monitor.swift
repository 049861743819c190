import GatewayBase
import GatewayIO
import Glibc

/// A value that threads change and wait on: how tests follow what another thread or process does, without sleeping.
///
/// `@unchecked Sendable`: `value` is touched under `condition` alone.
package final class Monitor<Value: Sendable>: @unchecked Sendable {
  private let condition = Condition()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  /// The value as it is now.
  package var current: Value { change { $0 } }

  /// Changes the value and wakes everyone who waits for it.
  @discardableResult
  package func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try condition.locked {
      defer { condition.wakeAll() }
      return try body(&value)
    }
  }

  /// Waits until `body` finds in the value what it looks for, and returns that; nil when the time is over.
  package func wait<Result>(seconds: Double = Patience.seconds, for body: (inout Value) throws -> Result?) rethrows
    -> Result?
  {
    let deadline = Deadline(seconds: seconds)
    return try condition.locked {
      while true {
        if let found = try body(&value) { return found }
        if !condition.wait(until: deadline.nanoseconds) { return try body(&value) }
      }
    }
  }
}

/// How long a test waits for what should happen at once: long, since machines that run tests are busy ones.
package enum Patience {
  package static let seconds: Double = 20
}

/// A point on the monotonic clock.
package struct Deadline: Sendable {
  /// Of the monotonic clock.
  let nanoseconds: UInt64

  package init(seconds: Double) { nanoseconds = MonotonicClock.nanoseconds + UInt64(max(0, seconds) * 1e9) }

  package var isOver: Bool { MonotonicClock.nanoseconds >= nanoseconds }

  /// What is left, in whole milliseconds, rounded up.
  var milliseconds: Int32 {
    let now = MonotonicClock.nanoseconds
    return now >= nanoseconds ? 0 : Int32(clamping: (nanoseconds - now + 999_999) / 1_000_000)
  }
}

/// Asks again and again until `condition` holds, for facts that nobody announces: a counter over HTTP, a file.
///
/// - Returns: whether it held before the time was over.
package func eventually(seconds: Double = Patience.seconds, _ condition: () throws -> Bool) rethrows -> Bool {
  let deadline = Deadline(seconds: seconds)
  while true {
    if try condition() { return true }
    if deadline.isOver { return false }
    usleep(10_000)
  }
}

/// Lets time pass, for tests whose subject is the passing of time itself; never to wait for something to happen.
package func pause(milliseconds: UInt32) {
  usleep(milliseconds * 1000)
}
