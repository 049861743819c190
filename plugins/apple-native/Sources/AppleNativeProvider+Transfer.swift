import FoundationEssentials
import ProviderKit

// Users whose app moves to another team (Apple's technical note TN3159).
extension AppleNativeProvider {
  /// An access token for the migration service.
  private struct Session: Codable {
    let token: String
    /// Unix milliseconds.
    let goodUntil: Int64
  }

  func transfer(
    _ request: TransferRequest, using services: any ProviderServices
  ) async throws(TaskFailure) -> TransferAnswer {
    let service = AppleTokenService(
      app: request.app, settings: AppleSettings(await services.settings), services: services)
    if case .give(_, let target) = request.step, target == request.app.teamID {
      throw TaskFailure("the target is the app's own team", isFinal: true)
    }
    do throws(AppleFailure) {
      let session = try await session(request, service)
      let result: TransferAnswer.Result =
        switch request.step {
        case .give(let subject, let target):
          .given(try await service.transferID(of: subject, to: target, client: request.client, bearer: session.token))
        case .take(let id):
          try await service.user(ofTransfer: id, client: request.client, bearer: session.token)
        }
      return TransferAnswer(result, session: (try? JSONEncoder().encode(session)).map { Array($0) } ?? [])
    } catch {
      throw error.ofTask
    }
  }

  private func session(_ request: TransferRequest, _ service: AppleTokenService) async throws(AppleFailure) -> Session {
    let now = await service.services.now
    if let bytes = request.session, let known = try? JSONDecoder().decode(Session.self, from: Data(bytes)),
      now < known.goodUntil
    {
      return known
    }
    // Good for an hour; half of it leaves room for both clocks.
    return Session(token: try await service.migrationToken(client: request.client), goodUntil: now + 1_800_000)
  }
}

extension AppleTokenService {
  private struct AccessToken: Decodable {
    let accessToken: String

    private enum CodingKeys: String, CodingKey { case accessToken = "access_token" }
  }

  private struct Given: Decodable {
    let transferID: String

    private enum CodingKeys: String, CodingKey { case transferID = "transfer_sub" }
  }

  /// A token by which the migration service may be asked.
  func migrationToken(client: String) async throws(AppleFailure) -> String {
    let body = try await post(
      [FormPost.Field("grant_type", "client_credentials"), FormPost.Field("scope", "user.migration")],
      to: settings.tokenURL, client: client)
    guard let answer = try? JSONDecoder().decode(AccessToken.self, from: Data(body)) else { throw .unexpected }
    return answer.accessToken
  }

  /// The id under which another team finds a user.
  func transferID(
    of subject: String, to target: String, client: String, bearer: String
  ) async throws(AppleFailure) -> String {
    let body = try await post(
      [FormPost.Field("sub", subject), FormPost.Field("target", target)], to: settings.migrationURL, client: client,
      bearer: bearer)
    guard let given = try? JSONDecoder().decode(Given.self, from: Data(body)), !given.transferID.isEmpty else {
      throw .unexpected
    }
    return given.transferID
  }

  /// The user of a transfer id in the team that has got the app. The relay address is another one there.
  func user(ofTransfer id: String, client: String, bearer: String) async throws(AppleFailure) -> TransferAnswer.Result {
    let body = try await post(
      [FormPost.Field("transfer_sub", id)], to: settings.migrationURL, client: client, bearer: bearer)
    guard let claims = AppleClaims(payload: body), let subject = try? claims.checkSubject() else { throw .unexpected }
    return .taken(
      subject: subject, email: claims.address?.email, isPrivateEmail: claims.address?.isPrivate ?? false)
  }
}
