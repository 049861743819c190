import GatewayBase
import GatewayConfig
import Testing

@testable import GatewayServer

@Suite("The pace of calls to providers") struct CallPaceTests {
  private static let second: UInt64 = 1_000_000_000

  private func schedule(_ requests: Int) throws -> CallPace.Schedule {
    CallPace.Schedule(try gateway("limits: { providerCalls: { requests: \(requests), per: 1s } }").limits.providerCalls)
  }

  @Test("turns are even, and a long rest earns none")
  func even() throws {
    var schedule = try schedule(20)
    let start = 1000 * Self.second
    #expect((0..<4).map { _ in schedule.take(now: start) } == [0, 40, 90, 140].map { $0 * 1_000_000 })
    let later = start + 3600 * Self.second
    #expect(schedule.take(now: later) == 0)
    #expect(schedule.take(now: later) == 40_000_000, "no more than a hundredth of the time is made up for")
  }

  @Test("whoever wakes late or works between two turns still comes to the configured number, and to no more")
  func rate() throws {
    var schedule = try schedule(1000)
    var now = 1000 * Self.second
    let start = now
    var turns = 0
    while now < start + 10 * Self.second {
      now += schedule.take(now: now)
      turns += 1
      // A timer is late by a third of a millisecond, and each thirty-second turn is followed by other work.
      now += 300_000 + (turns.isMultiple(of: 32) ? 5_000_000 : 0)
    }
    #expect((9_950...10_100).contains(turns), "\(turns)")
  }
}
