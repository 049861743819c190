import GatewayBase
import GatewayIO

/// Sends letters behind what asked for them: a bounded queue, and one thread that hands them to the relay.
///
/// A letter that can't be sent is tried again after each of its pauses, while others are sent; then one line of the log
/// says that it was given up, and not to whom it was.
package final class Mailer: Sendable {
  package enum Failure: Error, Sendable {
    /// `Limits.mailQueue` wait already, or the mailer has finished.
    case full
  }

  /// What became of letters since the start.
  package struct Figures: Sendable, Equatable {
    package var sent: UInt64 = 0
    package var failed: UInt64 = 0
    package var waiting: UInt64 = 0

    package init(sent: UInt64 = 0, failed: UInt64 = 0, waiting: UInt64 = 0) {
      self.sent = sent
      self.failed = failed
      self.waiting = waiting
    }
  }

  private let queue: LetterQueue

  /// - Parameters:
  ///   - pauses: milliseconds after each failed attempt; after the last one there is one more.
  package convenience init(
    relay: MailRelay, queueLimit: Int = Limits.mailQueue, pauses: [UInt64] = Limits.mailPauses, logger: Logger
  ) throws(OutboundError) {
    let transfer = try MailTransfer()
    // The handle is made here, so that a machine without libcurl is told at once, and used on the thread alone.
    nonisolated(unsafe) let handle = transfer
    self.init(queueLimit: queueLimit, pauses: pauses, logger: logger) { letter throws(MailFailure) in
      unsafe try handle.send(letter, to: relay)
    }
  }

  /// - Parameter send: is called on the mailer's thread, and may block.
  init(
    queueLimit: Int, pauses: [UInt64], logger: Logger,
    send: @escaping @Sendable (MailLetter) throws(MailFailure) -> Void
  ) {
    queue = LetterQueue(limit: queueLimit)
    Thread.start(name: "mail") { [queue] in
      while let waiting = queue.next() {
        do throws(MailFailure) {
          try send(waiting.letter)
          queue.sent()
        } catch {
          guard !error.isFinal, waiting.failures < pauses.count else {
            logger.warning(
              "a letter was given up", .text("reason", error.description), .integer("attempts", waiting.failures + 1))
            queue.failed()
            continue
          }
          queue.putBack(waiting, after: pauses[waiting.failures])
        }
      }
    }
  }

  deinit { queue.stop() }

  /// Queues a letter.
  package func send(_ letter: MailLetter) throws(Failure) { try queue.put(letter) }

  package var figures: Figures { queue.figures }

  /// Takes no more letters, gives each that waits one more try at once, and waits for that.
  ///
  /// - Returns: how many are left, and lost.
  package func finish(milliseconds: Int) -> Int { queue.finish(milliseconds: UInt64(milliseconds)) }
}

/// Letters that wait, by the time of their next attempt.
///
/// `@unchecked Sendable`: everything mutable is touched under `condition` alone.
private final class LetterQueue: @unchecked Sendable {
  struct Waiting {
    let letter: MailLetter
    var failures = 0
    /// Of the monotonic clock, in nanoseconds.
    var due: UInt64
  }

  private let limit: Int
  private let condition = Condition()
  private var waiting: [Waiting] = []
  private var isSending = false
  private var isFinishing = false
  private var isStopped = false
  private var counts = Mailer.Figures()

  init(limit: Int) { self.limit = limit }

  var figures: Mailer.Figures {
    condition.locked {
      var figures = counts
      figures.waiting = UInt64(waiting.count + (isSending ? 1 : 0))
      return figures
    }
  }

  func put(_ letter: MailLetter) throws(Mailer.Failure) {
    try condition.locked { () throws(Mailer.Failure) in
      guard waiting.count < limit, !isFinishing, !isStopped else { throw .full }
      waiting.append(Waiting(letter: letter, due: MonotonicClock.nanoseconds))
      condition.wakeAll()
    }
  }

  /// The letter that is due first, waiting for it; nil once stopped.
  func next() -> Waiting? {
    condition.locked {
      while !isStopped {
        guard let index = waiting.indices.min(by: { waiting[$0].due < waiting[$1].due }) else {
          condition.wait()
          continue
        }
        if isFinishing || waiting[index].due <= MonotonicClock.nanoseconds {
          isSending = true
          return waiting.remove(at: index)
        }
        _ = condition.wait(until: waiting[index].due)
      }
      return nil
    }
  }

  func sent() { ended { counts.sent &+= 1 } }

  func failed() { ended { counts.failed &+= 1 } }

  func putBack(_ letter: Waiting, after milliseconds: UInt64) {
    ended {
      guard !isFinishing else {
        counts.failed &+= 1
        return
      }
      waiting.append(
        Waiting(
          letter: letter.letter, failures: letter.failures + 1,
          due: MonotonicClock.nanoseconds + milliseconds * 1_000_000))
    }
  }

  private func ended(_ body: () -> Void) {
    condition.locked {
      isSending = false
      body()
      condition.wakeAll()
    }
  }

  func finish(milliseconds: UInt64) -> Int {
    let end = MonotonicClock.nanoseconds + milliseconds * 1_000_000
    return condition.locked {
      let failedBefore = counts.failed
      isFinishing = true
      condition.wakeAll()
      while isSending || !waiting.isEmpty { if !condition.wait(until: end) { break } }
      isStopped = true
      condition.wakeAll()
      return waiting.count + (isSending ? 1 : 0) + Int(counts.failed - failedBefore)
    }
  }

  func stop() {
    condition.locked {
      isStopped = true
      condition.wakeAll()
    }
  }
}
