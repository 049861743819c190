import ProviderKit

/// One call of a provider, as a message.
enum ProviderCall: Codable, Sendable, Equatable {
  case signIn(SignInRequest)
  case perform(TaskRequest)
  case prepareDeletion(DeletionRequest)
  case readNotice(NoticeRequest)
  case beginWebSignIn(WebSignInRequest)
  case finishWebSignIn(WebCallback)
  case respond(PageRequest)
  case transfer(TransferRequest)

  /// Has the provider do it.
  func perform(by provider: any Provider, using services: any ProviderServices) async -> ProviderAnswer {
    do {
      switch self {
      case .signIn(let request): return .identity(try await provider.signIn(request, using: services))
      case .perform(let request): return .outcome(try await provider.perform(request, using: services))
      case .prepareDeletion(let request):
        return .followUp(try await provider.prepareDeletion(request, using: services))
      case .readNotice(let request): return .notice(try await provider.readNotice(request, using: services))
      case .beginWebSignIn(let request): return .step(try await provider.beginWebSignIn(request, using: services))
      case .finishWebSignIn(let callback): return .web(try await provider.finishWebSignIn(callback, using: services))
      case .respond(let request): return .page(try await provider.respond(to: request, using: services))
      case .transfer(let request): return .transferred(try await provider.transfer(request, using: services))
      }
    } catch let failure as ProviderFailure {
      return .refused(failure)
    } catch let failure as TaskFailure {
      return .failed(failure)
    } catch {
      return .failed(TaskFailure("the provider failed"))
    }
  }
}

/// What came of a call.
package enum ProviderAnswer: Codable, Sendable, Equatable {
  case identity(VerifiedIdentity)
  case outcome(TaskOutcome)
  case followUp([UInt8]?)
  case notice(ProviderNotice)
  case step(WebStep)
  case web(WebOutcome)
  case page(PageAnswer)
  case transferred(TransferAnswer)
  case refused(ProviderFailure)
  case failed(TaskFailure)
}
