/// Calls of the platform API, as an app makes them.
extension GatewayProcess {
  package static let signInPath = "/api/platform/auth/apple-native"

  /// Posts a sign-in with these members.
  package func signIn(_ members: [String: JSON]) throws -> HTTPAnswer {
    try exchange(HTTPRequest("POST", Self.signInPath, host: "api.localhost", json: .object(members)))
  }

  /// Posts a sign-in with an identity token.
  ///
  /// - Parameter extra: members that replace the usual ones or come besides.
  package func signIn(app: Int, _ token: IdentityToken, _ extra: [String: JSON] = [:]) throws -> HTTPAnswer {
    let usual: [String: JSON] = [
      "appId": .integer(Int64(app)), "identityToken": .string(token.text), "rawNonce": .string(token.rawNonce),
    ]
    return try signIn(usual.merging(extra) { $1 })
  }

  /// Posts a sign-in with a token and the code that came with it.
  package func signInWithCode(app: Int, _ token: IdentityToken) throws -> HTTPAnswer {
    try signIn(app: app, token, token.code.map { ["authorizationCode": .string($0)] } ?? [:])
  }

  /// `DELETE /api/platform/auth/me` with a bearer.
  package func deleteAccount(_ bearer: String, _ members: [String: JSON]? = nil) throws -> HTTPAnswer {
    let path = "/api/platform/auth/me"
    let request =
      members.map { HTTPRequest("DELETE", path, host: "api.localhost", json: .object($0)) }
      ?? HTTPRequest("DELETE", path, host: "api.localhost")
    return try exchange(request.adding("Authorization", "Bearer \(bearer)"))
  }

  /// The gateway's token of a sign-in that must succeed.
  package func bearer(app: Int, _ token: IdentityToken) throws -> String {
    let answer = try signIn(app: app, token)
    guard answer.status == 200, let bearer = try answer.json()["token"].string else {
      throw TestFailure("sign-in answers \(answer.status) \(answer.errorCode ?? "")")
    }
    return bearer
  }

  /// `GET /api/platform/auth/me` with a bearer.
  package func me(_ bearer: String) throws -> HTTPAnswer {
    try exchange(
      HTTPRequest("GET", "/api/platform/auth/me", host: "api.localhost").adding("Authorization", "Bearer \(bearer)"))
  }

  package func signOut(_ bearer: String) throws -> HTTPAnswer {
    try exchange(
      HTTPRequest("POST", "/api/platform/auth/sign-out", host: "api.localhost")
        .adding("Authorization", "Bearer \(bearer)").adding("Content-Length", "0"))
  }
}

extension HTTPRequest {
  /// A request of a signed-in app.
  package static func authorized(
    _ method: String = "GET", _ target: String, host: String, bearer: String, body: [UInt8] = []
  ) -> HTTPRequest {
    HTTPRequest(
      method, target, host: host,
      fields: [("Authorization", "Bearer \(bearer)"), ("X-Speed-Request-From", "app")], body: body)
  }
}
