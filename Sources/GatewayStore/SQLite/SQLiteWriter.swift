import GatewayBase
import GatewayIO

/// A write that waits for its turn.
struct WriteJob: Sendable {
  /// Runs the body inside the transaction; what it returns answers the caller, once that is true for good.
  let run: @Sendable (any Connection) throws -> @Sendable () -> Void
  let fail: @Sendable (any Error) -> Void
}

/// The one writer: all writes that wait are made durable by one commit (group commit), each in a savepoint of its own.
///
/// `@unchecked Sendable`: `connection` and `warnedAt` are touched only on the one thread of `thread`.
final class SQLiteWriter: @unchecked Sendable {
  private struct Queue {
    var jobs: [WriteJob] = []
    var isDraining = false
  }

  private let path: String
  private let logger: Logger
  private let thread = BlockingPool(name: "sqlite-writer", threads: 1)
  private let queue = Locked(Queue())
  private var connection: SQLiteConnection?
  private var warnedAt: UInt64?

  init(path: String, logger: Logger) {
    self.path = path
    self.logger = logger
  }

  /// Runs `work` alone with the connection, outside any transaction.
  func run<Result: Sendable>(_ work: @escaping @Sendable (SQLiteConnection) throws -> Result) async throws -> Result {
    try await thread.run { [self] in try work(opened()) }
  }

  /// Queues a write; one of its closures is called once.
  func put(_ job: WriteJob) {
    let (isFull, mustStart) = queue.withLock { queue in
      if queue.jobs.count >= Limits.blockingQueue { return (true, false) }
      queue.jobs.append(job)
      defer { queue.isDraining = true }
      return (false, !queue.isDraining)
    }
    if isFull { return job.fail(StoreError.unavailable("too many writes wait")) }
    guard mustStart else { return }
    do {
      try thread.submit { [self] in while let batch = next() { commit(batch) } }
    } catch {
      let refused = queue.withLock { queue in
        defer { queue = Queue() }
        return queue.jobs
      }
      for job in refused { job.fail(StoreError.unavailable("the writer's queue is \(error)")) }
    }
  }

  private func next() -> [WriteJob]? {
    queue.withLock { queue in
      guard !queue.jobs.isEmpty else {
        queue.isDraining = false
        return nil
      }
      defer { queue.jobs.removeFirst(min(Limits.commitBatch, queue.jobs.count)) }
      return Array(queue.jobs.prefix(Limits.commitBatch))
    }
  }

  private func opened() throws(StoreError) -> SQLiteConnection {
    if let connection { return connection }
    let opened = try SQLiteConnection(path: path, role: .writer)
    connection = opened
    return opened
  }

  /// Answers are given only after the commit: also a failure may rest on what another write of the batch did.
  private func commit(_ batch: [WriteJob]) {
    var answers: [@Sendable () -> Void] = []
    do throws(StoreError) {
      let connection = try opened()
      try connection.begin()
      for job in batch { answers.append(try perform(job, on: connection)) }
      try connection.commit()
    } catch {
      connection?.rollBack()
      for job in batch { job.fail(error) }
      return
    }
    for answer in answers { answer() }
    checkpoint()
  }

  /// - Throws: where the whole transaction can't go on.
  private func perform(_ job: WriteJob, on connection: SQLiteConnection) throws(StoreError) -> @Sendable () -> Void {
    try connection.run("SAVEPOINT job", [])
    do {
      let answer = try job.run(connection)
      try connection.checkTransaction()
      try connection.run("RELEASE job", [])
      return answer
    } catch {
      try connection.run("ROLLBACK TO job", [])
      try connection.run("RELEASE job", [])
      return { job.fail(error) }
    }
  }

  private func checkpoint() {
    guard let left = connection?.checkpoint(), left >= Limits.checkpointWarningPages else { return }
    let now = MonotonicClock.nanoseconds
    if let warnedAt, now - warnedAt < 60_000_000_000 { return }
    warnedAt = now
    logger.warning("a long read keeps the database's write-ahead log growing", .integer("pages", left))
  }
}
