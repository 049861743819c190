import Foundation
import GatewayIO
import GatewayTesting
import SpeedAuth

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An app as it is installed on somebody's phone: the library for apps, on the wire of this run.
struct AppInstall {
  let client: SpeedAuthClient
  private let sandbox: SandboxProcess
  private let bundleID: String

  /// - Parameter transport: nil for the wire of this run.
  init(
    _ app: App, of gateway: GatewayProcess, _ sandbox: SandboxProcess, storage: any SessionStorage = MemoryStorage(),
    transport: (any HTTPTransport)? = nil
  ) throws {
    let configuration = try SpeedAuthConfiguration(
      app: .id(Int64(app.id)), origins: ["http://\(app.host):\(gateway.port)"], callbackScheme: app.bundleID,
      api: "http://api.localhost:\(gateway.port)", dash: "http://dash.localhost:\(gateway.port)")
    client = SpeedAuthClient(
      configuration, storage: storage, transport: transport ?? GatewayTransport(gateway: gateway))
    self.sandbox = sandbox
    bundleID = app.bundleID
  }

  /// An app of a scene with both ways to sign in.
  init(_ scene: SpeedScene) throws { try self.init(SpeedScene.app, of: scene.gateway, scene.sandbox) }

  /// Signs in with Apple as a user of its own kind of phone.
  func apple(_ subject: String, email: String? = nil, name: String? = nil, code: Bool = false) async throws -> SignIn {
    try await client.signIn(credential(subject, email: email, name: name, code: code))
  }

  /// What Apple's sheet brings.
  func credential(
    _ subject: String, email: String? = nil, name: String? = nil, code: Bool = false
  ) throws -> AppleCredential {
    let nonce = AppleNonce()
    var request = TokenRequest(audience: bundleID, subject: subject)
    request.rawNonce = nonce.raw
    request.wantsCode = code
    if let email { request.claims["email"] = .string(email) }
    let token = try sandbox.token(request)
    guard try JWTText(token.text).claims["nonce"].string == nonce.hashed else {
      throw TestFailure("the digest of the nonce is not what Apple would sign")
    }
    return AppleCredential(
      user: subject, identityToken: token.text, nonce: nonce, fullName: name, authorizationCode: token.code)
  }

  /// Proof of a Speed account, by the page for linking.
  func speedToken(_ browser: (_ query: String) throws -> String) async throws -> SpeedToken {
    let visit = try client.linkVisit()
    return try await client.speedToken(visit, endedAt: try Self.end(visit.url, browser))
  }

  /// Continues with Speed.
  func speed(_ browser: (_ query: String) throws -> String) async throws -> SignIn {
    let visit = try client.signInVisit()
    return try await client.signIn(visit, endedAt: try Self.end(visit.url, browser))
  }

  private static func end(_ url: URL, _ browser: (String) throws -> String) throws -> URL {
    guard let query = url.query(), let end = URL(string: try browser(query)) else { throw TestFailure("no query") }
    return end
  }
}

/// Requests of the library for apps, on the wire of this run.
struct GatewayTransport: HTTPTransport {
  let gateway: GatewayProcess

  func answer(to request: URLRequest, redirects: RedirectRule) async throws -> (Data, HTTPURLResponse) {
    guard let url = request.url, let parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
      let host = parts.host
    else { throw URLError(.badURL) }
    let target = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    let body = request.httpBody.map { [UInt8]($0) } ?? []
    var fields = (request.allHTTPHeaderFields ?? [:]).map { (name: $0.key, value: $0.value) }
    if request.httpBody != nil, body.isEmpty { fields.append(("Content-Length", "0")) }
    let sent = HTTPRequest(request.httpMethod ?? "GET", target, host: host, fields: fields, body: body)
    // A thread of its own, so that a test's few are free for others.
    let answer = try await withCheckedThrowingContinuation { continuation in
      GatewayIO.Thread.start(name: "test-app") { continuation.resume(with: Result { try gateway.exchange(sent) }) }
    }
    let pairs = answer.fields.lines.map { ($0.name, $0.value) }
    guard
      let response = HTTPURLResponse(
        url: url, statusCode: answer.status, httpVersion: "HTTP/1.1",
        headerFields: Dictionary(pairs) { "\($0), \($1)" })
    else { throw URLError(.badServerResponse) }
    return (Data(answer.body), response)
  }
}
