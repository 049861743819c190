import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The app's own requests.
extension SpeedAuthClient {
  /// The request with the user's token. It is for the app's own origins alone.
  ///
  /// Whoever sends it on a `URLSession` of their own gives the task a `RedirectGuard`, and a 401 with `X-Speed-Error` to
  /// `refused(_:)`.
  ///
  /// - Throws: `foreignOrigin` where the URL is on none of them.
  public func authorized(_ request: URLRequest) async throws(SpeedAuthError) -> URLRequest {
    try checkOrigin(of: request.url)
    return carrying(try await currentSession(), request)
  }

  /// Sends a request with the user's token. Where the token is over, it is renewed and the request sent once more, or the
  /// session ends.
  ///
  /// - Returns: the answer, whatever its status. A 401 of the backend's own is one.
  /// - Throws: `foreignOrigin`; `sessionEnded`; `unreachable`.
  public func data(for request: URLRequest) async throws(SpeedAuthError) -> (Data, HTTPURLResponse) {
    try checkOrigin(of: request.url)
    return try await withSession { (session) async throws(SpeedAuthError) in
      let (data, response) = try await platform.transport.checkedAnswer(
        to: carrying(session, request), redirects: .followWithoutCredentials)
      // The platform writes this field, and lets none of a backend's pass.
      let code = response.value(forHTTPHeaderField: "X-Speed-Error")
      if response.statusCode == 401, code == ErrorCode.invalidToken.rawValue, isOwn(response) {
        throw .invalidToken
      }
      return (data, response)
    }
  }

  /// The upgrade of a WebSocket on one of the app's own origins, with the token as a subprotocol. The server's choice is
  /// `speed`, or what the backend chose.
  ///
  /// - Throws: `foreignOrigin`; `sessionEnded`.
  public func webSocketRequest(_ url: URL) async throws(SpeedAuthError) -> URLRequest {
    var request = URLRequest(url: url)
    request.setValue(
      try await webSocketProtocols(for: url).joined(separator: ", "),
      forHTTPHeaderField: AuthorizedFields.webSocketProtocol)
    request.setValue(configuration.requestFrom, forHTTPHeaderField: AuthorizedFields.requestFrom)
    return request
  }

  /// The subprotocols by which a WebSocket to `url` carries the token, for clients that take a list of them. They hold
  /// the token: do not log them.
  ///
  /// - Throws: `foreignOrigin`; `sessionEnded`.
  public func webSocketProtocols(for url: URL) async throws(SpeedAuthError) -> [String] {
    try checkOrigin(of: url)
    return ["speed", "speed.bearer.\(try await currentSession().token.text)"]
  }

  /// Tells the client that a request that `authorized(_:)` made was refused with 401 by the platform.
  ///
  /// - Returns: the request with a new token, to be sent once more.
  /// - Throws: `sessionEnded` where there is none: the session is over.
  public func refused(_ request: URLRequest) async throws(SpeedAuthError) -> URLRequest {
    try checkOrigin(of: request.url)
    let sent = request.value(forHTTPHeaderField: AuthorizedFields.authorization)
    var isFirst = true
    return try await withSession { (session) async throws(SpeedAuthError) in
      defer { isFirst = false }
      if isFirst, sent == session.token.bearer { throw .invalidToken }
      return carrying(session, request)
    }
  }

  private func checkOrigin(of url: URL?) throws(SpeedAuthError) {
    guard let url, configuration.isOwn(url) else { throw .foreignOrigin }
  }

  private func isOwn(_ response: HTTPURLResponse) -> Bool { response.url.map(configuration.isOwn) ?? false }

  private func carrying(_ session: Session, _ request: URLRequest) -> URLRequest {
    var request = request
    request.setValue(session.token.bearer, forHTTPHeaderField: AuthorizedFields.authorization)
    request.setValue(configuration.requestFrom, forHTTPHeaderField: AuthorizedFields.requestFrom)
    return request
  }
}
