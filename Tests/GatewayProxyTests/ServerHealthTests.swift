import Testing

@testable import GatewayProxy

/// What is known of a server, and what follows from it: without a clock or a socket.
@Suite struct ServerHealthTests {
  private static var rules: HealthRules {
    var rules = HealthRules()
    (rules.isChecked, rules.passes, rules.failures) = (true, 2, 3)
    (rules.ejectionFailures, rules.ejection, rules.slowStart) = (3, 1_000, 500)
    return rules
  }

  private let others = ServerHealth.Siblings(total: 3, inService: 3)
  private var health = ServerHealth(rules: ServerHealthTests.rules, isNew: false, now: 0)

  /// As many failures as eject.
  private func fail(
    _ health: inout ServerHealth, _ failure: ServerHealth.Failure = .unreachable, _ siblings: ServerHealth.Siblings,
    now: UInt64, chance: Double = 0
  ) -> ServerHealth.Change? {
    var change: ServerHealth.Change?
    for _ in 0..<3 { change = health.requestFailed(failure, siblings, now: now, chance: chance) }
    return change
  }

  @Test("Failures in a row eject a server; one request that is served between them starts the count anew")
  func ejection() {
    var health = health
    #expect(health.requestFailed(.unreachable, others, now: 0, chance: 0) == nil)
    #expect(health.requestFailed(.unreachable, others, now: 0, chance: 0) == nil)
    #expect(health.requestServed(now: 1) == nil)
    #expect(health.requestFailed(.unreachable, others, now: 2, chance: 0) == nil)
    #expect(health.requestFailed(.unserved, others, now: 2, chance: 0) == nil)
    #expect(health.standing(now: 2) == .up)
    #expect(
      health.requestFailed(.unreachable, others, now: 2, chance: 0) == .ejected(.unreachable, milliseconds: 1_000))
    #expect(health.standing(now: 3) == .ejected(until: 1_002))
  }

  @Test("Answers that break off eject a server though each of them began well; one that comes to its end forgives them")
  func brokenAnswers() {
    var (broken, forgiven) = (health, health)
    for _ in 0..<2 {
      #expect(broken.answerBegan(now: 0) == nil)
      #expect(broken.requestFailed(.brokenOff, others, now: 0, chance: 0) == nil)
    }
    forgiven = broken
    #expect(broken.answerBegan(now: 0) == nil)
    #expect(broken.requestFailed(.brokenOff, others, now: 0, chance: 0) == .ejected(.brokenOff, milliseconds: 1_000))
    #expect(broken.requestServed(now: 1) == nil, "what another server would share is not over with one good answer")
    _ = forgiven.requestServed(now: 0)
    #expect(forgiven.requestFailed(.brokenOff, others, now: 0, chance: 0) == nil)
    // What failed otherwise is over as soon as an answer begins, which may be one without an end.
    for _ in 0..<5 {
      #expect(forgiven.requestFailed(.unreachable, others, now: 0, chance: 0) == nil)
      #expect(forgiven.answerBegan(now: 0) == nil)
    }
  }

  @Test("An ejection ends by time, and the server begins slowly")
  func readmission() {
    var health = health
    _ = fail(&health, .unreachable, others, now: 0)
    #expect(health.timePassed(now: 999) == nil)
    #expect(health.timePassed(now: 1_000) == .readmitted)
    #expect(health.standing(now: 1_000) == .warming(until: 1_500))
    #expect(health.standing(now: 1_500) == .up)
    #expect(health.timePassed(now: 2_000) == nil)
  }

  @Test("Each ejection soon after another one doubles its time, up to a bound; a long good time forgives all")
  func growth() {
    var health = health
    var now: UInt64 = 0
    var times: [UInt64] = []
    for _ in 0..<7 {
      guard case .ejected(_, let time) = fail(&health, .unreachable, others, now: now) else { return times.append(0) }
      times.append(time)
      now += time
      _ = health.timePassed(now: now)
    }
    #expect(times == [1_000, 2_000, 4_000, 8_000, 16_000, 16_000, 16_000])
    #expect(fail(&health, .unreachable, others, now: now + 16_000) == .ejected(.unreachable, milliseconds: 1_000))
  }

  @Test("Chance makes an ejection up to a quarter longer, so that servers do not come back together")
  func jitter() {
    var (least, most) = (health, health)
    #expect(fail(&least, .unreachable, others, now: 0, chance: 0) == .ejected(.unreachable, milliseconds: 1_000))
    #expect(fail(&most, .unreachable, others, now: 0, chance: 0.999) == .ejected(.unreachable, milliseconds: 1_249))
  }

  @Test("GW-74 the last server in service is never ejected, whatever fails")
  func lastOne() {
    var health = health
    for failure in [ServerHealth.Failure.unreachable, .unserved] {
      #expect(fail(&health, failure, ServerHealth.Siblings(total: 3, inService: 1), now: 0) == nil)
      #expect(fail(&health, failure, ServerHealth.Siblings(total: 1, inService: 1), now: 0) == nil)
    }
    #expect(health.standing(now: 0) == .up)
    // It may go as soon as another one is back.
    #expect(health.requestFailed(.unreachable, others, now: 1, chance: 0) != nil)
  }

  @Test("What all servers would answer alike ejects no more than half of them")
  func half() {
    let counts = [(4, 4), (4, 3), (4, 2), (3, 3), (3, 2), (2, 2)]
    let spared = counts.map { ServerHealth.Siblings(total: $0.0, inService: $0.1).canSpareOne(for: .unserved) }
    #expect(spared == [true, true, false, true, false, true])
    #expect(ServerHealth.Siblings(total: 4, inService: 2).canSpareOne(for: .unreachable))
  }

  @Test("A server that is well while it is ejected for not being there is back at once")
  func early() {
    var (served, checked, refusing) = (health, health, health)
    _ = fail(&served, .unreachable, others, now: 0)
    #expect(served.requestServed(now: 10) == .readmitted)
    _ = fail(&checked, .unreachable, others, now: 0)
    #expect(checked.checkPassed(now: 10) == .readmitted)
    _ = fail(&refusing, .unserved, others, now: 0)
    #expect(refusing.requestServed(now: 10) == nil)
    #expect(refusing.checkPassed(now: 10) == nil)
    #expect(refusing.standing(now: 10) == .ejected(until: 1_000))
  }

  @Test("The first check decides at once; later ones by how many in a row")
  func checks() {
    var health = health
    #expect(health.checkFailed() == .wentDown)
    #expect(health.standing(now: 0) == .down)
    #expect(health.checkPassed(now: 1) == nil)
    #expect(health.checkFailed() == nil)
    #expect(health.checkPassed(now: 2) == nil)
    #expect(health.checkPassed(now: 3) == .cameUp)
    #expect(health.standing(now: 3) == .warming(until: 503))
    #expect(health.checkFailed() == nil)
    #expect(health.checkFailed() == nil)
    #expect(health.checkPassed(now: 600) == nil)
    #expect(health.checkFailed() == nil)
    #expect(health.checkFailed() == nil)
    #expect(health.checkFailed() == .wentDown)
    #expect(health.requestServed(now: 700) == nil)
    #expect(health.standing(now: 700) == .down)
  }

  @Test("A server that is down is not ejected besides")
  func downNotEjected() {
    var health = health
    _ = health.checkFailed()
    #expect(fail(&health, .unreachable, others, now: 0) == nil)
  }

  @Test("GW-73 new rules change nothing of what is known; only without checks nobody would find the server well again")
  func reload() {
    var (down, ejected) = (health, health)
    _ = down.checkFailed()
    down.adopt(Self.rules)
    #expect(down.standing(now: 0) == .down)
    var unchecked = Self.rules
    unchecked.isChecked = false
    down.adopt(unchecked)
    #expect(down.standing(now: 0) == .up)
    _ = fail(&ejected, .unreachable, others, now: 0)
    ejected.adopt(unchecked)
    #expect(ejected.standing(now: 1) == .ejected(until: 1_000))
  }

  @Test("No ejection where the rules want none, and no time overflows")
  func extremes() {
    var never = Self.rules
    never.ejectionFailures = 0
    var health = ServerHealth(rules: never, isNew: true, now: 0)
    for _ in 0..<100 { #expect(health.requestFailed(.unreachable, others, now: 0, chance: 0) == nil) }
    var longest = Self.rules
    longest.ejection = .max
    health.adopt(longest)
    #expect(health.requestFailed(.unreachable, others, now: 0, chance: 0.5) != nil)
  }

  @Test("What requests read in one number is what is known")
  func bulletin() {
    var health = health
    #expect(Bulletin(health, now: 0).number == 0)
    _ = health.requestFailed(.unreachable, others, now: 0, chance: 0)
    #expect(Bulletin(health, now: 0).wantsGoodNews)
    #expect(Bulletin(health, now: 0).standing(now: 0) == .up)
    _ = fail(&health, .unreachable, others, now: 0)
    #expect(Bulletin(health, now: 0).standing(now: 999) == .ejected(until: 1_000))
    #expect(Bulletin(health, now: 0).isOver(now: 1_000) && !Bulletin(health, now: 0).isOver(now: 999))
    _ = health.timePassed(now: 1_000)
    #expect(Bulletin(health, now: 1_000).standing(now: 1_100) == .warming(until: 1_500))
    #expect(Bulletin(health, now: 1_000).standing(now: 1_500) == .up)
    for _ in 0..<3 { _ = health.checkFailed() }
    #expect(Bulletin(health, now: 1_000).standing(now: 1_100) == .down)
  }
}
