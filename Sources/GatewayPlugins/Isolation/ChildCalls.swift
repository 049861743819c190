import GatewayBase
import ProviderKit

/// The calls under way in a plugin's process, and what they want of the gateway.
final class ChildCalls: Sendable {
  private struct State {
    var calls: [UInt64: Task<Void, Never>] = [:]
    var waiters: [UInt64: CheckedContinuation<ServiceAnswer, Never>] = [:]
    var lastQuestion: UInt64 = 0
  }

  private let provider: any Provider
  private let link: ChildLink
  private let state = Locked(State())

  init(provider: any Provider, link: ChildLink) {
    self.provider = provider
    self.link = link
  }

  /// Serves the gateway until the socket ends.
  func run() -> Never {
    link.receive { message in
      switch message {
      case .call(let id, let call): begin(id, call)
      case .cancel(let id): state.withLock { $0.calls[id] }?.cancel()
      case .serviceAnswer(let id, let answer):
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: answer)
      // By a task: where all threads are held up no answer comes.
      case .ping(let number): Task { [link] in try? link.send(.pong(number)) }
      }
    }
  }

  private func begin(_ id: UInt64, _ call: ProviderCall) {
    // Under the lock, so that the call is known before it can end.
    state.withLock { state in
      state.calls[id] = Task {
        let answer = await call.perform(by: provider, using: RemoteServices(calls: self, call: id))
        self.state.withLock { $0.calls[id] = nil }
        answered(id, answer)
      }
    }
  }

  private func answered(_ id: UInt64, _ answer: ProviderAnswer) {
    do throws(MessageFault) {
      try link.send(.answer(id: id, answer))
    } catch {
      try? link.send(.answer(id: id, .failed(TaskFailure("the provider's answer is too large"))))
    }
  }

  /// Has the gateway do something on behalf of a call.
  func ask(_ call: UInt64, _ question: ServiceCall) async -> ServiceAnswer {
    await withCheckedContinuation { continuation in
      let id = state.withLock { state in
        state.lastQuestion += 1
        state.waiters[state.lastQuestion] = continuation
        return state.lastQuestion
      }
      do throws(MessageFault) {
        try link.send(.service(id: id, call: call, question))
      } catch {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.resume(returning: .callFailure(CallFailure("what the provider wants is too large")))
      }
    }
  }
}
