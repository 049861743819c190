import Testing

@testable import GatewayServer

/// When servers are asked whether they are well.
@Suite struct CheckScheduleTests {
  private var schedule = CheckSchedule<String>()

  /// Begins what is due, without chance.
  private func begin(_ schedule: inout CheckSchedule<String>, _ now: UInt64, limit: Int = 10) -> [String] {
    schedule.begin(now: now, limit: limit) { 0.5 }
  }

  @Test("What is new is asked soon, and then once each interval, counted from the begin of a check")
  func intervals() {
    var schedule = schedule
    schedule.add("a", every: 5_000, now: 100) { 0 }
    #expect(schedule.nextAt == 100)
    #expect(begin(&schedule, 100) == ["a"])
    #expect(begin(&schedule, 100) == [])
    schedule.finished("a")
    #expect(schedule.nextAt == 5_100)
    #expect(begin(&schedule, 5_099) == [])
    #expect(begin(&schedule, 5_100) == ["a"])
  }

  @Test("A check that takes longer than its interval is waited for, and no second one runs beside it")
  func slow() {
    var schedule = schedule
    schedule.add("a", every: 1_000, now: 0) { 0 }
    #expect(begin(&schedule, 0) == ["a"])
    #expect(begin(&schedule, 5_000) == [])
    #expect(schedule.nextAt == nil)
    schedule.finished("a")
    #expect(begin(&schedule, 5_000) == ["a"])
  }

  @Test("A reload leaves what is planned as it was, forgets what is gone, and hastens what is asked more often now")
  func reload() {
    var schedule = schedule
    for subject in ["a", "b", "c"] { schedule.add(subject, every: 10_000, now: 0) { 0 } }
    #expect(begin(&schedule, 0).sorted() == ["a", "b", "c"])
    for subject in ["a", "b", "c"] { schedule.finished(subject) }
    schedule.remove("c")
    schedule.add("a", every: 10_000, now: 3_000) { 0 }
    schedule.add("b", every: 2_000, now: 3_000) { 0 }
    #expect(begin(&schedule, 3_000) == [])
    #expect(begin(&schedule, 5_000) == ["b"])
    schedule.finished("b")
    schedule.finished("c")
    #expect(begin(&schedule, 20_000).sorted() == ["a", "b"])
  }

  @Test("No more run at once than may; those that are due the longest go first")
  func limit() {
    var schedule = schedule
    schedule.add("old", every: 1_000, now: 0) { 0 }
    schedule.add("new", every: 1_000, now: 10) { 0 }
    #expect(begin(&schedule, 20, limit: 1) == ["old"])
    #expect(begin(&schedule, 20, limit: 1) == [])
    schedule.finished("old")
    #expect(begin(&schedule, 20, limit: 1) == ["new"])
  }

  @Test("Chance spreads first checks over half a second at most, and later ones by a tenth of their interval")
  func spread() {
    var schedule = schedule
    schedule.add("a", every: 60_000, now: 0) { 0.999 }
    #expect(schedule.nextAt == 499)
    _ = schedule.begin(now: 499, limit: 1) { 0 }
    schedule.finished("a")
    #expect(schedule.nextAt == 54_499)
    _ = schedule.begin(now: 54_499, limit: 1) { 1 }
    schedule.finished("a")
    #expect(schedule.nextAt == 120_499)
  }
}
