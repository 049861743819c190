import GatewayBase
import ProviderKit

/// The calls of an isolated plugin that are under way, each with its deadline and with what the plugin may use on its
/// behalf. Times are monotonic milliseconds.
struct CallTable {
  /// Gets nil where there is no answer.
  typealias Waiter = CheckedContinuation<ProviderAnswer?, Never>

  private struct Call {
    let message: [UInt8]
    let services: any ProviderServices
    let waiter: Waiter
    let begunAt: UInt64
    var isSent = false
    /// Services that are at work for it.
    var questions = 0
  }

  /// Milliseconds that a call may take once it was sent.
  private let timeout: UInt64
  private var calls: [UInt64: Call] = [:]
  /// Calls that nobody waits for any more, with when they must have ended.
  private var abandoned: [UInt64: UInt64] = [:]
  private var lastID: UInt64 = 0

  init(timeout: UInt64) { self.timeout = timeout }

  var isEmpty: Bool { calls.isEmpty }

  /// Adds a call.
  ///
  /// - Parameter message: makes its message.
  /// - Returns: false where there are too many, or it can't be said.
  mutating func add(
    _ call: ProviderCall, services: any ProviderServices, waiter: Waiter, now: UInt64
  ) -> Bool {
    guard calls.count < Limits.pluginCalls,
      let message = try? Frame.bytes(MessageCoder.encode(HostMessage.call(id: lastID + 1, call)))
    else { return false }
    lastID += 1
    calls[lastID] = Call(message: message, services: services, waiter: waiter, begunAt: now)
    return true
  }

  /// The messages of calls that were not sent yet; they count as sent.
  mutating func unsent() -> [[UInt8]] {
    calls.keys.sorted().compactMap { id in
      guard calls[id]?.isSent == false else { return nil }
      calls[id]?.isSent = true
      return calls[id]?.message
    }
  }

  /// Takes the call that has ended; nil for one that nobody waits for.
  ///
  /// - Throws: for a number that is of no call.
  mutating func ended(_ id: UInt64) throws(MessageFault) -> Waiter? {
    if abandoned.removeValue(forKey: id) != nil { return nil }
    guard let call = calls[id], call.isSent else { throw MessageFault("an answer to no call") }
    calls[id] = nil
    return call.waiter
  }

  /// Counts one more service that is wanted on behalf of a call.
  ///
  /// - Returns: what serves it; nil where nobody waits for the call any more.
  /// - Throws: for a number that is of no call, and for too many at once.
  mutating func question(of id: UInt64) throws(MessageFault) -> (any ProviderServices)? {
    guard let call = calls[id], call.isSent else {
      guard abandoned[id] != nil else { throw MessageFault("a question on behalf of no call") }
      return nil
    }
    guard call.questions < Limits.pluginQuestions else { throw MessageFault("too many questions at once") }
    calls[id]?.questions += 1
    return call.services
  }

  /// One of those has its answer.
  mutating func questionEnded(of id: UInt64) { calls[id]?.questions -= 1 }

  /// Takes the calls whose time is over. Those that were sent must end soon.
  ///
  /// - Returns: who waits for them, and the numbers of those that were sent.
  mutating func overdue(now: UInt64) -> (waiters: [Waiter], sent: [UInt64]) {
    let late = calls.filter { now >= end(of: $0.value) }
    for (id, call) in late {
      calls[id] = nil
      if call.isSent { abandoned[id] = now + Limits.pluginGrace }
    }
    return (late.values.map(\.waiter), late.filter(\.value.isSent).keys.sorted())
  }

  private func end(of call: Call) -> UInt64 { call.begunAt + (call.isSent ? timeout : Limits.pluginWait) }

  /// Whether a call that nobody waits for has not ended in its time.
  func isStuck(now: UInt64) -> Bool { abandoned.values.contains { $0 < now } }

  /// Takes all calls that were sent, as the process that had them is gone.
  mutating func lost() -> [Waiter] {
    abandoned = [:]
    let sent = calls.filter(\.value.isSent)
    for id in sent.keys { calls[id] = nil }
    return sent.values.map(\.waiter)
  }

  /// Takes all calls.
  mutating func all() -> [Waiter] {
    defer { calls = [:] }
    return calls.values.map(\.waiter)
  }

  /// Milliseconds after which a call's time is over; nil where none is under way.
  func pause(now: UInt64) -> UInt64? {
    let ends = calls.values.map(end) + abandoned.values
    return ends.min().map { $0 > now ? $0 - now : 0 }
  }
}
