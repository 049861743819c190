import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Calls of the platform API: bodies out, typed answers in.
struct PlatformCalls: Sendable {
  let configuration: SpeedAuthConfiguration
  let transport: any HTTPTransport

  /// What a call brings when its answer does not count.
  struct Nothing: Decodable {}

  /// A body without members is sent as none.
  struct NoBody: Encodable {}

  /// Sends a call and reads its answer.
  ///
  /// - Parameters:
  ///   - path: below `/api/platform/auth/`.
  ///   - token: of the session that asks, where one does.
  func send<Answer: Decodable>(
    _ method: String, _ path: String, token: AccessToken? = nil, body: some Encodable = NoBody()
  ) async throws(SpeedAuthError) -> Answer {
    var request = URLRequest(url: configuration.api.appending(path: "api/platform/auth/\(path)"))
    request.httpMethod = method
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    if let token { request.setValue(token.bearer, forHTTPHeaderField: AuthorizedFields.authorization) }
    if !(body is NoBody) {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try encoded(body)
    } else if method == "POST" {
      request.httpBody = Data()
    }
    let (data, response) = try await transport.checkedAnswer(to: request, redirects: .stay)
    guard (200..<300).contains(response.statusCode) else { throw Self.failure(response, data) }
    if let nothing = Nothing() as? Answer { return nothing }
    return try Self.decoded(data, status: response.statusCode)
  }

  private func encoded(_ body: some Encodable) throws(SpeedAuthError) -> Data {
    do {
      return try JSONEncoder().encode(body)
    } catch {
      throw .notConfigured("body that can be written as JSON")
    }
  }

  static func decoded<Answer: Decodable>(_ data: Data, status: Int) throws(SpeedAuthError) -> Answer {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      return try decoder.decode(Answer.self, from: data)
    } catch {
      throw .unexpectedAnswer(status: status)
    }
  }

  private struct Body: Decodable {
    let error: String
    let message: String?
    let requestId: String?
  }

  private static func failure(_ response: HTTPURLResponse, _ data: Data) -> SpeedAuthError {
    guard let body = try? JSONDecoder().decode(Body.self, from: data) else {
      return .unexpectedAnswer(status: response.statusCode)
    }
    let wait = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int64($0) }.map { Duration.seconds($0) }
    return .refused(
      Refusal(
        status: response.statusCode, code: ErrorCode(rawValue: body.error), message: body.message ?? "",
        requestID: body.requestId, retryAfter: wait))
  }
}

extension HTTPTransport {
  /// The answer, with every way to have none as one of the client's own errors.
  func checkedAnswer(
    to request: URLRequest, redirects: RedirectRule
  ) async throws(SpeedAuthError) -> (Data, HTTPURLResponse) {
    do {
      return try await answer(to: request, redirects: redirects)
    } catch let error as SpeedAuthError {
      throw error
    } catch is CancellationError {
      throw .cancelled
    } catch let error as URLError {
      // Its text may spell the URL.
      throw error.code == .cancelled ? .cancelled : .unreachable("error \(error.code.rawValue) of URLSession")
    } catch {
      throw .unreachable("\(type(of: error))")
    }
  }
}
