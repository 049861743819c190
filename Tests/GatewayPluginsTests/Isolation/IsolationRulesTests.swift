import PluginTesting
import ProviderKit
import Testing

@testable import GatewayPlugins

@Suite("The life of an isolated plugin's process") struct IsolationRulesTests {
  /// Rules of a process that serves since a moment.
  private func ready(at now: UInt64) -> IsolationRules {
    var rules = IsolationRules()
    rules.processStarted(now: now)
    rules.helloReceived(now: now)
    return rules
  }

  @Test("it starts at once, and again after pauses that double up to a limit")
  func pauses() {
    var rules = IsolationRules()
    #expect(rules.action(now: 0) == .start)
    var (now, pauses) = (1000 as UInt64, [UInt64]())
    for _ in 0..<12 {
      rules.processStarted(now: now)
      pauses.append(rules.processEnded(now: now))
      #expect(rules.action(now: now + pauses.last! - 1) == nil)
      now += pauses.last!
      #expect(rules.action(now: now) == .start)
    }
    #expect(pauses.prefix(4) == [200, 400, 800, 1600] && pauses.suffix(3) == [30_000, 30_000, 30_000])
  }

  @Test("after a minute of service an end counts as the first")
  func healthy() {
    var rules = ready(at: 0)
    rules.processEnded(now: 59_999)
    rules.processStarted(now: 70_000)
    rules.helloReceived(now: 70_000)
    #expect(rules.processEnded(now: 129_999) == 400)
    rules.processStarted(now: 140_000)
    rules.helloReceived(now: 140_000)
    #expect(rules.processEnded(now: 200_000) == 200)
  }

  @Test("a load that does not end is ended")
  func load() {
    var rules = IsolationRules()
    rules.processStarted(now: 0)
    #expect(rules.action(now: 5000) == nil)
    #expect(rules.action(now: 5001) == .end("it did not load within 5000 ms"))
  }

  @Test("it is asked whether it is well, and ended where it does not answer")
  func pings() {
    var rules = ready(at: 0)
    #expect(rules.action(now: 1999) == nil && rules.action(now: 2000) == .ping(1))
    #expect(rules.action(now: 2001) == nil)
    #expect(!rules.pongReceived(2) && rules.pongReceived(1) && !rules.pongReceived(1))
    #expect(rules.action(now: 4000) == .ping(2))
    #expect(rules.action(now: 8000) == nil)
    #expect(rules.action(now: 8001) == .end("it did not answer for 4000 ms"))
  }

  @Test("a call begins where there is a process, or will be one soon")
  func mayServe() {
    var rules = ready(at: 0)
    #expect(rules.mayServe(soon: 0))
    for _ in 0..<4 {
      rules.processStarted(now: 0)
      rules.processEnded(now: 0)
    }
    #expect(!rules.mayServe(soon: 0) && rules.mayServe(soon: 600))
  }
}

@Suite("The calls of an isolated plugin") struct CallTableTests {
  /// What a waiter gets for a call that a test treats in its way.
  private func outcome(
    _ treat: (inout CallTable) throws -> [CallTable.Waiter], timeout: UInt64 = 100
  ) async throws -> ProviderAnswer? {
    var failure: (any Error)?
    let answer = await withCheckedContinuation { (waiter: CallTable.Waiter) in
      var table = CallTable(timeout: timeout)
      let request = ProviderCall.perform(
        TaskRequest(app: AppDescription(appID: 1, name: "A"), task: .followUp([])))
      guard table.add(request, services: FakeServices(), waiter: waiter, now: 0) else {
        return waiter.resume(returning: nil)
      }
      do {
        for waiter in try treat(&table) { waiter.resume(returning: .failed(TaskFailure("treated"))) }
      } catch {
        failure = error
        waiter.resume(returning: nil)
      }
    }
    if let failure { throw failure }
    return answer
  }

  private let treated = ProviderAnswer.failed(TaskFailure("treated"))

  @Test("a call is sent once and ends once, under its number")
  func once() async throws {
    let answer = try await outcome { table in
      #expect(table.unsent().count == 1 && table.unsent().isEmpty)
      let waiter = try table.ended(1)
      #expect(throws: MessageFault.self) { try table.ended(1) }
      #expect(table.isEmpty)
      return [waiter].compactMap(\.self)
    }
    #expect(answer == treated)
  }

  @Test("an answer to a call that was not sent, or a question on behalf of none, breaks the protocol")
  func foreign() async throws {
    _ = try await outcome { table in
      #expect(throws: MessageFault.self) { try table.ended(1) }
      #expect(throws: MessageFault.self) { try table.question(of: 1) }
      #expect(throws: MessageFault.self) { try table.ended(7) }
      return table.all()
    }
  }

  @Test("nobody waits for an unsent call over a second, nor for a sent one over its time; then it must end soon")
  func deadlines() async throws {
    _ = try await outcome { table in
      #expect(table.overdue(now: 999).waiters.isEmpty)
      let late = table.overdue(now: 1000)
      #expect(late.sent.isEmpty && !table.isStuck(now: 1_000_000))
      return late.waiters
    }
    _ = try await outcome { table in
      _ = table.unsent()
      #expect(table.pause(now: 40) == 60 && table.overdue(now: 99).waiters.isEmpty)
      let late = table.overdue(now: 100)
      #expect(late.sent == [1])
      let services = try table.question(of: 1)
      #expect(services == nil)
      #expect(!table.isStuck(now: 2100) && table.isStuck(now: 2101))
      let waiter = try table.ended(1)
      #expect(waiter == nil)
      #expect(!table.isStuck(now: 2101))
      return late.waiters
    }
  }

  @Test("a call has so many questions at once, and no more")
  func questions() async throws {
    _ = try await outcome { table in
      _ = table.unsent()
      for _ in 0..<32 { _ = try table.question(of: 1) }
      #expect(throws: MessageFault.self) { try table.question(of: 1) }
      table.questionEnded(of: 1)
      let services = try table.question(of: 1)
      #expect(services != nil)
      return table.lost()
    }
  }
}
