import Testing

@testable import GatewayServer

@Suite("The life of the process") struct LifeCycleTests {
  private func actions(_ facts: LifeCycle.Fact...) -> [LifeCycle.Action] {
    var life = LifeCycle()
    return facts.map { life.take($0) }
  }

  @Test("SIGHUP reloads, as often as it comes")
  func reload() { #expect(actions(.reloadAsked, .reloadAsked) == [.reload, .reload]) }

  @Test("the first signal drains, and what is done then ends")
  func drain() { #expect(actions(.endAsked, .drained) == [.drain(.ending), .end]) }

  @Test("a second signal ends at once, and the drain's own end then does nothing")
  func secondSignal() { #expect(actions(.endAsked, .endAsked, .drained) == [.drain(.ending), .end, .nothing]) }

  @Test("a successor's coming drains, one signal to both processes changes nothing, and the next one ends")
  func succeeded() {
    #expect(actions(.handedOver, .drained) == [.drain(.succeeded), .end])
    #expect(actions(.handedOver, .endAsked, .drained) == [.drain(.succeeded), .nothing, .end])
    #expect(actions(.handedOver, .endAsked, .endAsked) == [.drain(.succeeded), .nothing, .end])
  }

  @Test("in a drain nothing is read again, and a successor is none of its business")
  func quiet() {
    #expect(actions(.endAsked, .reloadAsked, .handedOver, .drained) == [.drain(.ending), .nothing, .nothing, .end])
  }
}
