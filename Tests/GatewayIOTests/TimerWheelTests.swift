import Testing

@testable import GatewayIO

@Suite struct TimerWheelTests {
  @Test("A deadline is noticed after it has passed, within two ticks", arguments: [1, 31, 32, 33, 500, 4000, 4100])
  func exactness(milliseconds: UInt64) {
    let wheel = TestWheel(now: 1_000)
    wheel.set(1, to: 1_000 + milliseconds)
    let due = wheel.run(until: 12_000)
    #expect(due.map(\.record) == [1])
    #expect(due.allSatisfy { $0.time >= 1_000 + milliseconds })
    #expect(due.allSatisfy { $0.time <= 1_000 + milliseconds + 2 * TimerWheel.tick })
  }

  @Test("Deadlines beyond a turn of the wheel are exact too", arguments: [10_000, 75_000, 600_000])
  func longHorizon(milliseconds: UInt64) {
    let wheel = TestWheel(now: 77)
    wheel.set(1, to: 77 + milliseconds)
    let due = wheel.run(until: 77 + milliseconds + 1_000)
    #expect(due.map(\.record) == [1])
    #expect(due.allSatisfy { $0.time >= 77 + milliseconds && $0.time <= 77 + milliseconds + 2 * TimerWheel.tick })
  }

  @Test("A deadline that is moved later costs no new entry")
  func movedLater() {
    let wheel = TestWheel(now: 0)
    wheel.set(1, to: 100)
    for milliseconds in 101...2_000 { wheel.set(1, to: UInt64(milliseconds)) }
    let due = wheel.run(until: 3_000)
    #expect(due.map(\.record) == [1])
    #expect(due.allSatisfy { $0.time >= 2_000 })
    #expect(wheel.looks == 2)
  }

  @Test("A deadline that is moved earlier is noticed then, once")
  func movedEarlier() {
    let wheel = TestWheel(now: 0)
    wheel.set(1, to: 3_000)
    wheel.set(1, to: 200)
    let due = wheel.run(until: 6_000)
    #expect(due.map(\.record) == [1])
    #expect(due.allSatisfy { $0.time <= 200 + 2 * TimerWheel.tick })
  }

  @Test("A cleared deadline never fires, one that is set again does")
  func cleared() {
    let wheel = TestWheel(now: 0)
    wheel.set(1, to: 100)
    wheel.clear(1)
    wheel.set(2, to: 100)
    wheel.clear(2)
    wheel.set(2, to: 400)
    #expect(wheel.run(until: 5_000).map(\.record) == [2])
  }

  @Test("A fired deadline can be set again")
  func again() {
    let wheel = TestWheel(now: 0)
    wheel.set(1, to: 50)
    #expect(wheel.run(until: 500).map(\.record) == [1])
    wheel.set(1, to: 600)
    #expect(wheel.run(until: 1_000).map(\.record) == [1])
  }

  @Test("A deadline in the past fires at the next tick")
  func past() {
    let wheel = TestWheel(now: 10_000)
    wheel.set(1, to: 3)
    #expect(wheel.run(until: 10_100).map(\.record) == [1])
  }

  @Test("A clock that jumps over many turns loses no deadline")
  func jump() {
    let wheel = TestWheel(now: 0)
    for record in 1...50 { wheel.set(record, to: UInt64(record) * 900) }
    #expect(wheel.advance(to: 1_000_000).count == 50)
  }

  @Test("The loop sleeps until the next entry, and for ever where there is none")
  func pause() {
    let wheel = TestWheel(now: 0)
    #expect(wheel.pause(at: 0) == -1)
    wheel.set(1, to: 500)
    let pause = wheel.pause(at: 0)
    #expect(pause > 500 && pause <= 500 + Int32(2 * TimerWheel.tick))
    #expect(wheel.pause(at: 2_000) == 0)
  }
}

/// A wheel with records, driven as a loop does it.
private final class TestWheel {
  private let wheel: TimerWheel
  private var deadlines: [Int: Deadline] = [:]
  private var now: UInt64
  private(set) var looks = 0

  init(now: UInt64) {
    self.now = now
    wheel = TimerWheel(now: now)
  }

  func set(_ record: Int, to milliseconds: UInt64) {
    wheel.set(&deadlines[record, default: Deadline()], of: Handle(raw: UInt64(record)), to: milliseconds)
  }

  func clear(_ record: Int) { wheel.clear(&deadlines[record, default: Deadline()]) }

  func pause(at now: UInt64) -> Int32 { wheel.millisecondsToNext(now: now) }

  /// Records whose deadline is found to have passed at `time`.
  func advance(to time: UInt64) -> [Int] {
    now = time
    var entries: [(Handle, UInt64)] = []
    var due: [Int] = []
    repeat {
      entries = []
      wheel.advance(to: time) { entries.append(($0, $1)) }
      for (handle, tick) in entries {
        looks += 1
        let record = Int(handle.raw)
        if wheel.isDue(&deadlines[record, default: Deadline()], of: handle, now: time, tick: tick) {
          due.append(record)
        }
      }
    } while !entries.isEmpty
    return due
  }

  /// Goes on by the wheel's own pauses, as a loop does.
  func run(until end: UInt64) -> [(record: Int, time: UInt64)] {
    var due: [(Int, UInt64)] = []
    while now < end {
      let pause = wheel.millisecondsToNext(now: now)
      let next = pause < 0 ? end : min(end, now + max(1, UInt64(pause)))
      due += advance(to: next).map { ($0, next) }
    }
    return due
  }
}
