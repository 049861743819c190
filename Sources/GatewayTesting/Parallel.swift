import GatewayIO

/// Runs blocking work of a test on threads of its own.
package enum Parallel {
  /// Runs `work` for 0..<count at once, waits for all, and returns their results in order.
  ///
  /// - Throws: the first error by index.
  package static func run<Result: Sendable>(
    _ count: Int, seconds: Double = 60, _ work: @escaping @Sendable (Int) throws -> Result
  ) throws -> [Result] {
    try start(count, work).wait(seconds: seconds)
  }

  /// Starts `work` for 0..<count and returns at once.
  package static func start<Result: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) throws -> Result
  ) -> ParallelRun<Result> {
    let run = ParallelRun<Result>(count: count)
    for index in 0..<count {
      Thread.start(name: "test-\(index)") {
        let outcome = Swift.Result { try work(index) }
        run.outcomes.change { $0[index] = outcome }
      }
    }
    return run
  }
}

/// Work that goes on beside a test.
package struct ParallelRun<Result: Sendable>: Sendable {
  let outcomes: Monitor<[Swift.Result<Result, any Error>?]>

  init(count: Int) { outcomes = Monitor(Array(repeating: nil, count: count)) }

  /// Waits for all of it.
  ///
  /// - Throws: the first error by index, or `TestFailure` when the time is over.
  package func wait(seconds: Double = 60) throws -> [Result] {
    let all = outcomes.wait(seconds: seconds) { outcomes -> [Swift.Result<Result, any Error>]? in
      let finished = outcomes.compactMap { $0 }
      return finished.count == outcomes.count ? finished : nil
    }
    guard let all else { throw TestFailure("work beside the test did not end in \(seconds) s") }
    return try all.map { try $0.get() }
  }
}
