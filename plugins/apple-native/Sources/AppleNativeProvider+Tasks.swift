import ProviderKit

// What is left to do at Apple after a sign-in or a deletion.
extension AppleNativeProvider {
  func perform(
    _ request: TaskRequest, using services: any ProviderServices
  ) async throws(TaskFailure) -> TaskOutcome {
    let service = AppleTokenService(
      app: request.app, settings: AppleSettings(await services.settings), services: services)
    do throws(AppleFailure) {
      switch request.task {
      case .followUp(let bytes): return try await exchange(bytes, service)
      case .release(let grant):
        try await service.revoke(refreshToken: String(decoding: grant.secret, as: UTF8.self), client: grant.client)
        return .done
      case .check(let grant): return try await check(grant, service)
      }
    } catch {
      throw error.ofTask
    }
  }

  private func exchange(_ followUp: [UInt8], _ service: AppleTokenService) async throws(AppleFailure) -> TaskOutcome {
    guard let exchange = CodeExchange(followUp: followUp) else { return .done }
    switch try await exchange.run(service) {
    case .granted(let grant): return .granted(grant)
    case .nothing: return .done
    case .anotherUser: return .refused(.accountMismatch)
    }
  }

  private func check(_ grant: ProviderGrant, _ service: AppleTokenService) async throws(AppleFailure) -> TaskOutcome {
    do throws(AppleFailure) {
      try await service.check(refreshToken: String(decoding: grant.secret, as: UTF8.self), client: grant.client)
      return .done
    } catch .refused(.invalidGrant) {
      return .withdrawn
    }
  }

  /// A code of the deletion gives a token to revoke, and its exchange shows whose Apple account the person holds.
  func prepareDeletion(
    _ request: DeletionRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> [UInt8]? {
    let body = try SignInBody(request.body)
    guard request.app.hasSignInKey else { return nil }
    return await CodeExchange(
      code: body.authorizationCode, clients: request.app.clients(likeliest: request.client), subject: request.subject,
      using: services)?
      .followUp
  }
}

extension AppDescription {
  /// The ids that a code of an app may belong to, the likeliest first.
  fileprivate func clients(likeliest: String?) -> [String] {
    guard let likeliest, bundleIDs.contains(likeliest) || likeliest == servicesID else { return bundleIDs }
    return [likeliest] + bundleIDs.filter { $0 != likeliest }
  }
}
