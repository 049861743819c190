import Foundation
import GatewayBase
import Testing

@Suite("Locked values") struct LockedTests {
  @Test("changes from several threads at once are all kept")
  func counts() {
    let counter = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
    }
    #expect(counter.withLock { $0 } == 80_000)
  }

  @Test("an error leaves the value unlocked")
  func unlocksOnError() {
    struct Failure: Error {}
    let value = Locked(1)
    #expect(throws: Failure.self) { try value.withLock { _ in throw Failure() } }
    #expect(value.withLock { $0 } == 1)
  }
}
