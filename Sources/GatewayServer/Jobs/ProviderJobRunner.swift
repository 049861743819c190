import GatewayBase
import GatewayIdentity
import GatewayPlugins
import GatewayStore
import ProviderKit
import Synchronization

/// Does the work at providers that waits in the store: at once, then with growing pauses, at a limited pace.
///
/// At most `Limits.jobBatch` pieces of work are in memory, however many wait.
final class ProviderJobRunner: Sendable {
  /// Attempts under way at once: a provider that is slow must not hold up all of them.
  private static let attemptsAtOnce = 8

  let jobs: ProviderJobs
  let figures = ProviderJobFigures()
  private let host: ProviderHost
  private let state: PlatformState
  private let logger: Logger
  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation
  private let pace: CallPace

  init(_ jobs: ProviderJobs, host: ProviderHost, state: PlatformState, pace: CallPace, logger: Logger) {
    self.jobs = jobs
    self.host = host
    self.state = state
    self.logger = logger
    self.pace = pace
    (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Work was queued: it is looked for now rather than with the next look each second.
  func wake() { waker.yield() }

  /// Works until the task is cancelled.
  func run() async {
    let ticker = Task {
      while !Task.isCancelled {
        try? await Task.sleep(nanoseconds: 1_000_000_000)
        waker.yield()
      }
    }
    defer { ticker.cancel() }
    var isStoreGone = false
    for await _ in wakes {
      do {
        try await workOff()
        try await figures.refresh(from: jobs)
        isStoreGone = false
      } catch {
        if Task.isCancelled { return }
        if !isStoreGone { logger.warning("queued work of providers can't be read", .text("reason", "\(error)")) }
        isStoreGone = true
      }
    }
  }

  /// Does what is due until there is no more of it.
  private func workOff() async throws {
    // Beside those that are still under way from the last turn; and no more than can be begun within half of the lease,
    // at the slowest pace one.
    let room = Limits.jobBatch - Self.attemptsAtOnce
    let share = Int(min(UInt64(room), max(1, pace.turns(milliseconds: Limits.jobLease / 2))))
    let failure = await withTaskGroup(of: Void.self) { group -> (any Error)? in
      var underWay = 0
      while !Task.isCancelled {
        do {
          let claimed = try await jobs.claim(share)
          if claimed.isEmpty { break }
          for job in claimed {
            if underWay < Self.attemptsAtOnce { underWay += 1 } else { await group.next() }
            await pace.turn()
            group.addTask { _ = await self.attempt(job) }
          }
          try await figures.refresh(from: jobs)
        } catch {
          // What is under way is ended all the same.
          return error
        }
      }
      return nil
    }
    if let failure { throw failure }
  }

  /// Makes one attempt at work that was taken up, and ends it or puts it back.
  ///
  /// - Returns: what came of it; nil where it failed.
  func attempt(_ job: ProviderJob) async -> TaskOutcome? {
    let outcome: Result<TaskOutcome, TaskFailure>
    do throws(TaskFailure) {
      outcome = .success(try await self.outcome(of: job))
    } catch {
      outcome = .failure(error)
    }
    do {
      switch outcome {
      case .success(let outcome):
        try await finish(job, outcome)
        figures.count(.done)
      case .failure(let failure):
        let isOver = try await jobs.fail(job, reason: failure.reason, isFinal: failure.isFinal)
        figures.count(isOver ? .givenUp : .retried)
        log(job, failure.reason, isOver: isOver)
      }
    } catch {
      // The store is gone: the work is still there, and is taken up again when its lease is over.
      logger.warning(
        "queued work of a provider could not be ended", .integer("job", job.id), .text("reason", "\(error)"))
      if case .success(.granted(let grant)) = outcome { Task { await insist(job, grant) } }
    }
    return try? outcome.get()
  }

  /// Keeps a grant once the store is back. Its work can't be done again: what brought it is used up.
  private func insist(_ job: ProviderJob, _ grant: ProviderGrant) async {
    await StoreRounds(
      every: .seconds(1), failing: "a provider's grant can't be kept yet", recovered: "a provider's grant is kept",
      logger: logger
    ).run {
      try await finish(job, .granted(grant))
      figures.count(.done)
      return .over
    }
  }

  private func outcome(of job: ProviderJob) async throws(TaskFailure) -> TaskOutcome {
    guard let app = state.directory.apps[job.app] else {
      throw TaskFailure("the app is not loaded")
    }
    guard let plugin = state.plugins.plugin(named: job.provider), let provider = plugin.provider else {
      throw TaskFailure("the plugin is not loaded")
    }
    guard let secret = job.secret(jobs.keys) else { throw TaskFailure("the sealing key is missing") }
    let task: ProviderTask =
      switch job.kind {
      case .followUp: .followUp(secret)
      case .release: .release(ProviderGrant(client: job.client, secret: secret))
      }
    return try await provider.perform(
      TaskRequest(app: state.directory.description(of: app), task: task),
      using: host.services(for: plugin, app: app))
  }

  private func finish(_ job: ProviderJob, _ outcome: TaskOutcome) async throws {
    switch outcome {
    case .done, .withdrawn, .refused: try await jobs.finish(job)
    case .granted(let grant):
      try await jobs.finish(
        job,
        keeping: ProviderJob.Draft(.release, provider: job.provider, client: grant.client, secret: grant.secret))
    }
  }

  private func log(_ job: ProviderJob, _ reason: String, isOver: Bool) {
    let fields: [LogField] = [
      .integer("job", job.id), .text("kind", job.kind.rawValue), .text("provider", job.provider),
      .integer("app", job.app), .text("user", job.user), .integer("attempts", job.attempts), .text("reason", reason),
    ]
    if isOver {
      logger.log(.warning, "queued work of a provider was given up", fields)
    } else {
      logger.log(.info, "queued work of a provider failed and is tried again", fields)
    }
  }
}
