import GatewayBase

/// Threads for work that blocks or computes for long (databases, files, signatures), so that event loops never do.
package final class BlockingPool: Sendable {
  package enum Failure: Error, Sendable {
    /// The queue is at its limit: the caller should answer 503.
    case full
  }

  private let queue: WorkQueue

  /// - Parameters:
  ///   - name: of its threads, as tools show it (15 bytes at most).
  ///   - queueLimit: jobs that may wait; more are refused.
  ///   - yields: whether its work gives way to event loops where processors are short: for what computes.
  package init(name: String, threads: Int, queueLimit: Int = Limits.blockingQueue, yields: Bool = false) {
    precondition(threads > 0)
    queue = WorkQueue(limit: queueLimit)
    for _ in 0..<threads {
      Thread.start(name: name, yields: yields) { [queue] in while let job = queue.next() { job() } }
    }
  }

  /// Queued work is done all the same; then the threads end.
  deinit { queue.stop() }

  /// Runs `work` on a thread of the pool and returns what it returns.
  ///
  /// - Throws: `Failure` where the work did not run, else what it threw.
  package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      do throws(Failure) {
        try submit { continuation.resume(with: Swift.Result { try work() }) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Queues `work` without waiting for it.
  package func submit(_ work: @escaping @Sendable () -> Void) throws(Failure) { try queue.put(work) }
}

/// A bounded queue of jobs that threads wait on.
///
/// `@unchecked Sendable`: everything mutable is touched under `condition` alone.
private final class WorkQueue: @unchecked Sendable {
  private let limit: Int
  private let condition = Condition()
  private var jobs: [@Sendable () -> Void] = []
  private var first = 0
  private var stopped = false

  init(limit: Int) { self.limit = limit }

  func put(_ job: @escaping @Sendable () -> Void) throws(BlockingPool.Failure) {
    try condition.locked { () throws(BlockingPool.Failure) in
      if jobs.count - first >= limit { throw .full }
      jobs.append(job)
      condition.wakeOne()
    }
  }

  /// The next job, waiting for one; nil once stopped and empty.
  func next() -> (@Sendable () -> Void)? {
    condition.locked {
      while first == jobs.count {
        if stopped { return nil }
        condition.wait()
      }
      let job = jobs[first]
      first += 1
      if first == jobs.count {
        jobs.removeAll(keepingCapacity: true)
        first = 0
      } else if first >= 1024 {
        jobs.removeFirst(first)
        first = 0
      }
      return job
    }
  }

  func stop() {
    condition.locked {
      stopped = true
      condition.wakeAll()
    }
  }
}
