import Foundation
import SpeedAuth

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers by a script, one call after another or at once.
struct StubTransport: HTTPTransport {
  /// What a call gets: a status, fields and a body.
  typealias Answer = (status: Int, fields: [String: String], body: String)

  let script: @Sendable (URLRequest) async throws -> Answer

  func answer(to request: URLRequest, redirects: RedirectRule) async throws -> (Data, HTTPURLResponse) {
    let answer = try await script(request)
    guard let url = request.url,
      let response = HTTPURLResponse(
        url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.fields)
    else { throw URLError(.badURL) }
    return (Data(answer.body.utf8), response)
  }

  static func refusal(_ status: Int, _ code: String, _ fields: [String: String] = [:]) -> Answer {
    (status, fields.merging(["X-Speed-Error": code]) { $1 }, #"{"error":"\#(code)","message":"No.","requestId":"r1"}"#)
  }

  /// The JSON of a sign-in.
  static func signIn(
    _ token: String, refresh: String? = nil, expires: String = "2099-01-01T00:00:00Z", extra: String = ""
  ) -> Answer {
    let pair = refresh.map { #","refreshToken":"\#($0)""# } ?? ""
    let body =
      #"{"token":"\#(token)","expiresAt":"\#(expires)","user":{"id":"u1","name":null,"email":"ada@example.org","photo":null},"#
      + #""role":"app-user","appUserUUID":"3d4c5b2d-0000-5000-8000-000000000000","isNewAccount":false,"isLocalUser":true"#
      + "\(pair)\(extra)}"
    return (200, [:], body)
  }
}

extension URLRequest {
  /// The last part of the path: which call it is.
  var call: String { url?.lastPathComponent ?? "" }
  var bearer: String? { value(forHTTPHeaderField: "Authorization").map { String($0.dropFirst("Bearer ".count)) } }
  /// A member of the body, a text.
  func member(_ name: String) -> String? {
    guard let body = httpBody, let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any] else {
      return nil
    }
    return object[name] as? String
  }
}

/// A client of an app that is on nobody's machine.
func stubClient(
  storage: any SessionStorage = MemoryStorage(),
  _ script: @escaping @Sendable (URLRequest) async throws -> StubTransport.Answer
) throws -> SpeedAuthClient {
  SpeedAuthClient(
    try SpeedAuthConfiguration(app: .id(7), origins: ["https://notes.example"], callbackScheme: "com.example.notes"),
    storage: storage, transport: StubTransport(script: script))
}

extension AppleCredential {
  static func stub(user: String = "apple-1", name: String? = nil) -> AppleCredential {
    AppleCredential(user: user, identityToken: "identity-token", nonce: AppleNonce(), fullName: name)
  }
}

/// Counts, from anywhere.
actor Tally {
  private var counts: [String: Int] = [:]

  @discardableResult func count(_ name: String) -> Int {
    counts[name, default: 0] += 1
    return counts[name, default: 0]
  }

  func of(_ name: String) -> Int { counts[name, default: 0] }
}

/// Keeps what comes, in order.
actor Kept<Value: Sendable> {
  private(set) var all: [Value] = []

  func add(_ value: Value) { all.append(value) }
}
