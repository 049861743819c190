import CLinux
import GatewayBase
import GatewayIO
import Glibc
import ProviderKit

/// Keeps the process of an isolated plugin: a thread that starts it, carries messages, and starts it anew after a pause
/// where it ends. Whatever the process does costs its own calls an answer, and nobody else anything.
final class IsolatedPlugin: Sendable {
  /// How the process does.
  struct Figures: Sendable, Equatable {
    let isUp: Bool
    /// Starts but for the first.
    let restarts: UInt64
  }

  private struct State {
    var calls: CallTable
    var rules = IsolationRules()
    /// Messages to the process that is there now: a new one has another number.
    var messages: [[UInt8]] = []
    var process: UInt64 = 0
    var hello: ProviderHello?
    /// How the first start went; nil until that is known.
    var firstStart: Result<ProviderHello, PluginFailure>?
    var isStopped = false
  }

  private let library: IsolatedLibrary
  private let host: PluginHost
  private let logger: Logger?
  /// Written to when the thread has something to do.
  private let bell: Int32
  private let state: Locked<State>
  private let startCondition = Condition()

  /// Starts the first process, in the background.
  init(_ library: IsolatedLibrary, host: PluginHost, logger: Logger?) throws(PluginFailure) {
    let bell = clinux_eventfd()
    guard bell >= 0 else {
      throw PluginFailure("no process could be started: \(SystemError(call: "eventfd", number: errno))")
    }
    self.bell = bell
    self.library = library
    self.host = host
    self.logger = logger
    state = Locked(State(calls: CallTable(timeout: library.timeout)))
    Thread.start(name: "plugin-\(library.name)") { self.run() }
  }

  deinit { close(bell) }

  private static var now: UInt64 { MonotonicClock.nanoseconds / 1_000_000 }

  var figures: Figures {
    state.withLock { Figures(isUp: $0.rules.isReady, restarts: $0.process > 0 ? $0.process - 1 : 0) }
  }

  /// Waits until the first process has loaded the library. It blocks: not for an event loop.
  ///
  /// - Returns: what the provider says of itself.
  /// - Throws: where it could not be loaded; there will be no other process then.
  func waitForStart() throws(PluginFailure) -> ProviderHello {
    let end = MonotonicClock.nanoseconds + (Limits.pluginTrial + 1000) * 1_000_000
    startCondition.locked {
      while state.withLock({ $0.firstStart == nil }), startCondition.wait(until: end) {}
    }
    guard let result = state.withLock({ $0.firstStart }) else {
      throw PluginFailure("its process did not start in time")
    }
    return try result.get()
  }

  /// Has the provider do something.
  ///
  /// - Returns: nil where there is no answer: the process is not there, does not end in time, or there are too many calls.
  func perform(_ call: ProviderCall, using services: any ProviderServices) async -> ProviderAnswer? {
    await withCheckedContinuation { waiter in
      let isTaken = state.withLock { state in
        guard !state.isStopped, state.rules.mayServe(soon: Self.now) else { return false }
        return state.calls.add(call, services: services, waiter: waiter, now: Self.now)
      }
      if isTaken { ring() } else { waiter.resume(returning: nil) }
    }
  }

  /// Ends the process once its calls have ended.
  func stop() {
    state.withLock { $0.isStopped = true }
    ring()
  }

  private func ring() {
    var one: UInt64 = 1
    _ = unsafe write(bell, &one, 8)
  }

  // What follows is the thread's.

  private func run() {
    while !state.withLock({ $0.isStopped }) {
      let action = state.withLock { $0.rules.action(now: Self.now) }
      if action == .start { live() } else { wait(for: nil) }
      giveUpOverdue()
    }
    for waiter in state.withLock({ $0.calls.all() }) { waiter.resume(returning: nil) }
  }

  /// One process from its start to its end.
  private func live() {
    let number = state.withLock { state in
      state.rules.processStarted(now: Self.now)
      state.process += 1
      state.messages = []
      return state.process
    }
    var reason: String
    do throws(SystemError) {
      let process = try PluginProcess(library: library, host: host)
      reason = "the plugin was replaced"
      do throws(MessageFault) {
        while try serve(process, number) {}
      } catch {
        reason = error.description
      }
      let end = process.end()
      reason = reason == "it has ended" ? end : "\(reason); \(end)"
    } catch {
      reason = "\(error)"
    }
    ended(reason)
  }

  private func ended(_ reason: String) {
    let (waiters, pause, isExpected) = state.withLock { state in
      let pause = state.rules.processEnded(now: Self.now)
      if state.firstStart == nil { state.firstStart = .failure(PluginFailure("its process ended: \(reason)")) }
      if case .failure = state.firstStart { state.isStopped = true }
      return (state.calls.lost(), pause, state.isStopped)
    }
    startCondition.locked { startCondition.wakeAll() }
    for waiter in waiters { waiter.resume(returning: nil) }
    guard !isExpected else { return }
    logger?.error(
      "a plugin's process has ended", .text("plugin", library.name), .text("reason", printable(reason)),
      .integer("calls", waiters.count), .integer("restartMilliseconds", Int(pause)))
  }

  /// One turn: says what is to be said, waits, hears.
  ///
  /// - Returns: false once the process is not needed any more.
  /// - Throws: why it is to be ended.
  private func serve(_ process: PluginProcess, _ number: UInt64) throws(MessageFault) -> Bool {
    for id in giveUpOverdue() { try process.send(message(.cancel(id: id))) }
    let (action, messages, isStuck, isOver) = state.withLock { state in
      let action = state.rules.action(now: Self.now)
      let messages = state.rules.isReady ? state.messages + state.calls.unsent() : []
      if state.rules.isReady { state.messages = [] }
      return (action, messages, state.calls.isStuck(now: Self.now), state.isStopped && state.calls.isEmpty)
    }
    guard !isOver else { return false }
    guard !isStuck else { throw MessageFault("a call that nobody waits for did not end") }
    switch action {
    case .end(let reason): throw MessageFault(reason)
    case .ping(let number): try process.send(message(.ping(number)))
    case .start, nil: break
    }
    for message in messages { try process.send(message) }
    if wait(for: process) { for message in try process.receive() { try take(message, from: number) } }
    try process.flush()
    return true
  }

  private func message(_ message: HostMessage) throws(MessageFault) -> [UInt8] {
    try Frame.bytes(MessageCoder.encode(message))
  }

  /// Waits until there is something to do.
  ///
  /// - Returns: whether the process has said something.
  @discardableResult
  private func wait(for process: PluginProcess?) -> Bool {
    let pause = state.withLock { state in
      min(state.rules.pause(now: Self.now), state.calls.pause(now: Self.now) ?? .max)
    }
    var entries = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
    if let process {
      let events = process.wantsToSend ? POLLIN | POLLOUT : POLLIN
      entries.append(pollfd(fd: process.socket, events: Int16(events), revents: 0))
    }
    guard unsafe poll(&entries, nfds_t(entries.count), Int32(clamping: pause + 1)) > 0 else { return false }
    if entries[0].revents != 0 {
      var count: UInt64 = 0
      _ = unsafe read(bell, &count, 8)
    }
    return entries.count > 1 && Int32(entries[1].revents) & ~POLLOUT != 0
  }

  private func take(_ message: PluginMessage, from process: UInt64) throws(MessageFault) {
    switch message {
    case .hello(let hello): try greet(hello)
    case .failed(let reason): throw refused(PluginFailure(printable(reason)))
    case .answer(let id, let answer):
      let waiter = try state.withLock { state throws(MessageFault) in try state.calls.ended(id) }
      waiter?.resume(returning: answer)
    case .service(let id, let call, let question): try serve(question, id: id, of: call, from: process)
    case .pong(let number):
      guard state.withLock({ $0.rules.pongReceived(number) }) else { throw MessageFault("an answer to no ping") }
    }
  }

  private func greet(_ hello: ProviderHello) throws(MessageFault) {
    guard hello.manifest.name == library.name, hello.manifest.version == library.version else {
      throw MessageFault("it says to be another plugin")
    }
    let isFirst = try state.withLock { state throws(MessageFault) in
      guard case .starting = state.rules.phase else { throw MessageFault("it begins twice") }
      state.rules.helloReceived(now: Self.now)
      guard state.firstStart == nil else { return false }
      state.firstStart = .success(hello)
      return true
    }
    startCondition.locked { startCondition.wakeAll() }
    if !isFirst { logger?.info("a plugin's process serves again", .text("plugin", library.name)) }
    if !hello.isConfined {
      logger?.warning(
        "this kernel can't keep a plugin's process from files and connections", .text("plugin", library.name))
    }
  }

  private func refused(_ failure: PluginFailure) -> MessageFault {
    state.withLock { state in
      if state.firstStart == nil { state.firstStart = .failure(failure) }
    }
    return MessageFault("it could not load: \(failure.reason)")
  }

  /// Has the gateway do something for the plugin, on behalf of a call.
  private func serve(
    _ question: ServiceCall, id: UInt64, of call: UInt64, from process: UInt64
  ) throws(MessageFault) {
    let services = try state.withLock { state throws(MessageFault) in try state.calls.question(of: call) }
    guard let services else {
      return tell(.serviceAnswer(id: id, .callFailure(CallFailure("nobody waits for the call"))), to: process)
    }
    Task {
      let answer = await question.perform(by: services)
      state.withLock { $0.calls.questionEnded(of: call) }
      tell(.serviceAnswer(id: id, answer), to: process)
      ring()
    }
  }

  private func tell(_ message: HostMessage, to process: UInt64) {
    guard let bytes = try? self.message(message) else { return }
    state.withLock { state in if state.process == process { state.messages.append(bytes) } }
  }

  /// Answers those whose time is over.
  ///
  /// - Returns: the calls among them of which the process knows.
  @discardableResult
  private func giveUpOverdue() -> [UInt64] {
    let (waiters, sent) = state.withLock { $0.calls.overdue(now: Self.now) }
    for waiter in waiters { waiter.resume(returning: nil) }
    return sent
  }
}
