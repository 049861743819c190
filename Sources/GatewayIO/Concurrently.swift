import GatewayBase
import Synchronization

/// Work on many items by threads of their own that end with it: for starts and reloads, where all cores may be used.
package enum Concurrently {
  /// The results of `transform` in the order of `items`.
  ///
  /// - Parameters:
  ///   - threads: the calling one among them.
  ///   - grain: items that a thread takes at a time.
  package static func map<Item: Sendable, Result: Sendable>(
    _ items: [Item], threads: Int = Processors.available, grain: Int = 64,
    _ transform: @escaping @Sendable (Item) -> Result
  ) -> [Result] {
    let count = (items.count + grain - 1) / grain
    guard threads > 1, count > 1 else { return items.map(transform) }
    let shared = Shared<Result>(parts: count)
    let work: @Sendable () -> Void = {
      while let part = shared.next() {
        let range = part * grain..<min(items.count, (part + 1) * grain)
        shared.finish(part, items[range].map(transform))
      }
    }
    for _ in 1..<min(threads, count) { Thread.start(name: "work", work) }
    work()
    return shared.wait().flatMap { $0 }
  }

  /// Two pieces of work at once, the second one on the calling thread.
  package static func both<First: Sendable, Second>(
    _ first: @escaping @Sendable () -> First, _ second: () -> Second, threads: Int = Processors.available
  ) -> (First, Second) {
    guard threads > 1 else { return (first(), second()) }
    let shared = Shared<First>(parts: 1)
    Thread.start(name: "work") { shared.finish(0, [first()]) }
    let result = second()
    return (shared.wait()[0][0], result)
  }

  private final class Shared<Result: Sendable>: Sendable {
    private let taken = Atomic<Int>(0)
    private let count: Int
    private let results: Locked<(parts: [[Result]], missing: Int)>
    private let done = Signalled()

    init(parts: Int) {
      count = parts
      results = Locked((Array(repeating: [], count: parts), parts))
    }

    func next() -> Int? {
      let part = taken.wrappingAdd(1, ordering: .relaxed).oldValue
      return part < count ? part : nil
    }

    func finish(_ part: Int, _ found: [Result]) {
      let isLast = results.withLock { results in
        results.parts[part] = found
        results.missing -= 1
        return results.missing == 0
      }
      if isLast { done.markDone() }
    }

    func wait() -> [[Result]] {
      while results.withLock({ $0.missing }) > 0 { done.waitUntilDone(milliseconds: 1000) }
      return results.withLock { $0.parts }
    }
  }
}
