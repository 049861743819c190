import Testing

@testable import GatewayStore

@Suite struct CircuitBreakerTests {
  private let millisecond: UInt64 = 1_000_000

  @Test("after a failure callers fail at once, until one may try")
  func opens() {
    var breaker = CircuitBreaker()
    #expect(breaker.connectionWanted(now: 0) == .admitted)
    breaker.failed("gone", now: 0)
    #expect(breaker.connectionWanted(now: 249 * millisecond) == .refused("gone"))
    #expect(breaker.connectionWanted(now: 250 * millisecond) == .admitted)
    #expect(breaker.connectionWanted(now: 251 * millisecond) == .refused("gone"))
  }

  @Test("the pause doubles up to two seconds, and is short again after a success")
  func backOff() {
    var breaker = CircuitBreaker()
    var now: UInt64 = 0
    for pause in [250, 500, 1000, 2000, 2000] as [UInt64] {
      breaker.failed("gone", now: now)
      #expect(breaker.connectionWanted(now: now + pause * millisecond - 1) == .refused("gone"))
      now += pause * millisecond
      #expect(breaker.connectionWanted(now: now) == .admitted)
    }
    breaker.connected()
    #expect(breaker.connectionWanted(now: now) == .admitted)
    breaker.failed("gone again", now: now)
    #expect(breaker.connectionWanted(now: now + 250 * millisecond) == .admitted)
  }

  @Test("callers that fail together count as one failure")
  func together() {
    var breaker = CircuitBreaker()
    for _ in 0..<16 { breaker.failed("gone", now: 10) }
    #expect(breaker.connectionWanted(now: 10 + 250 * millisecond) == .admitted)
  }
}

@Suite struct RetryBudgetTests {
  private func verdict(
    _ fault: MariaDBConnection.Fault?, commitInDoubt: Bool = false, wasIdle: Bool = true, now: UInt64 = 1
  ) -> RetryBudget.Verdict {
    var budget = RetryBudget(start: 0)
    return budget.failed(fault, commitInDoubt: commitInDoubt, wasIdle: wasIdle, now: now)
  }

  @Test("a conflict is run again, a failure of the body is not")
  func conflicts() {
    #expect(verdict(.conflict) != .giveUp)
    #expect(verdict(nil) == .giveUp)
  }

  @Test("a lost connection is replaced only where it had lain idle and no commit is in doubt")
  func losses() {
    #expect(verdict(.lost("x")) == .retry(pause: 0))
    #expect(verdict(.lost("x"), wasIdle: false) == .giveUp)
    #expect(verdict(.lost("x"), commitInDoubt: true) == .giveUp)
  }

  @Test("tries end after eight, and after half of the wait")
  func bounds() {
    #expect(verdict(.conflict, now: 1_000_000_000) == .giveUp)
    var budget = RetryBudget(start: 0)
    let verdicts = (0..<8).map { _ in budget.failed(.conflict, commitInDoubt: false, wasIdle: true, now: 1) }
    #expect(verdicts.dropLast().allSatisfy { $0 != .giveUp })
    #expect(verdicts.last == .giveUp)
  }

  @Test("an error of a duplicate yields the key's name and not the entry")
  func keyName() {
    #expect(MariaDBError.keyName(in: "Duplicate entry 'it's' for key 'notes.PRIMARY'") == "notes.PRIMARY")
    #expect(MariaDBError.keyName(in: "") == "unknown")
  }
}
