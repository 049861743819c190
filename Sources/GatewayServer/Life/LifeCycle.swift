/// What a process does on signals and hand-overs. Decides alone; `RunningGateway` acts.
struct LifeCycle {
  enum Fact {
    /// SIGHUP.
    case reloadAsked
    /// SIGTERM or SIGINT.
    case endAsked
    /// Another process serves the listeners now.
    case handedOver
    /// The drain is done, or its time is over.
    case drained
  }

  enum Action: Equatable {
    case nothing
    case reload
    case drain(Drain)
    /// At once.
    case end
  }

  enum Drain: Equatable {
    /// Nobody takes over: whoever sends requests here has to be told first.
    case ending
    /// A successor serves the same addresses already.
    case succeeded
  }

  private enum State {
    /// → `draining`.
    case serving
    /// → `ended`. `signals`: how many more of them it takes to end at once.
    case draining(signals: Int)
    case ended
  }

  private var state = State.serving

  mutating func take(_ fact: Fact) -> Action {
    switch (state, fact) {
    case (.serving, .reloadAsked): return .reload
    case (.serving, .endAsked): return begin(.ending, signals: 1)
    // A service manager that stops both processes means no harm to the requests of the old one: its first signal asks
    // for what happens already.
    case (.serving, .handedOver): return begin(.succeeded, signals: 2)
    case (.draining(let signals), .endAsked) where signals > 1:
      state = .draining(signals: signals - 1)
      return .nothing
    case (.serving, .drained), (.draining, .endAsked), (.draining, .drained):
      state = .ended
      return .end
    case (.draining, .reloadAsked), (.draining, .handedOver), (.ended, _): return .nothing
    }
  }

  private mutating func begin(_ drain: Drain, signals: Int) -> Action {
    state = .draining(signals: signals)
    return .drain(drain)
  }
}
