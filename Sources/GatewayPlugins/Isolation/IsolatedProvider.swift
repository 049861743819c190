import ProviderKit

/// A provider that runs in a supervised process of its own. While that is not there its calls fail as those of a provider
/// that is out of reach. The process ends with this object, after its calls.
final class IsolatedProvider: Provider {
  let manifest: ProviderManifest
  let refusedCredential: ProviderFailure
  private let plugin: IsolatedPlugin

  /// - Parameter plugin: which has started.
  /// - Throws: why its first process could not load the library.
  init(_ plugin: IsolatedPlugin) throws(PluginFailure) {
    let hello = try plugin.waitForStart()
    manifest = hello.manifest
    refusedCredential = hello.refusedCredential
    self.plugin = plugin
  }

  deinit { plugin.stop() }

  /// How the process does.
  var figures: IsolatedPlugin.Figures { plugin.figures }

  private static let unavailable = ProviderFailure(
    status: 503, code: "provider_unavailable", message: "This way to sign in is out of order at present.",
    reason: "the plugin's process gave no answer", retryAfter: 5)
  private static let undone = TaskFailure("the plugin's process gave no answer")

  private func answer(
    _ call: ProviderCall, _ services: any ProviderServices
  ) async throws(ProviderFailure) -> ProviderAnswer {
    guard let answer = await plugin.perform(call, using: services) else { throw Self.unavailable }
    if case .refused(let failure) = answer { throw failure }
    return answer
  }

  func signIn(
    _ request: SignInRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> VerifiedIdentity {
    guard case .identity(let identity) = try await answer(.signIn(request), services) else { throw Self.unavailable }
    return identity
  }

  func prepareDeletion(
    _ request: DeletionRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> [UInt8]? {
    guard case .followUp(let followUp) = try await answer(.prepareDeletion(request), services) else {
      throw Self.unavailable
    }
    return followUp
  }

  func readNotice(
    _ request: NoticeRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> ProviderNotice {
    guard case .notice(let notice) = try await answer(.readNotice(request), services) else { throw Self.unavailable }
    return notice
  }

  func beginWebSignIn(
    _ request: WebSignInRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> WebStep {
    guard case .step(let step) = try await answer(.beginWebSignIn(request), services) else { throw Self.unavailable }
    return step
  }

  func finishWebSignIn(
    _ callback: WebCallback, using services: any ProviderServices
  ) async throws(ProviderFailure) -> WebOutcome {
    guard case .web(let outcome) = try await answer(.finishWebSignIn(callback), services) else {
      throw Self.unavailable
    }
    return outcome
  }

  func respond(
    to request: PageRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> PageAnswer {
    guard case .page(let page) = try await answer(.respond(request), services) else { throw Self.unavailable }
    return page
  }

  func perform(
    _ request: TaskRequest, using services: any ProviderServices
  ) async throws(TaskFailure) -> TaskOutcome {
    switch await plugin.perform(.perform(request), using: services) {
    case .outcome(let outcome): return outcome
    case .failed(let failure): throw failure
    default: throw Self.undone
    }
  }

  func transfer(
    _ request: TransferRequest, using services: any ProviderServices
  ) async throws(TaskFailure) -> TransferAnswer {
    switch await plugin.perform(.transfer(request), using: services) {
    case .transferred(let answer): return answer
    case .failed(let failure): throw failure
    default: throw Self.undone
    }
  }
}
