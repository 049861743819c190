import GatewayBase
import GatewayHTTP
import GatewayProxy
import ProviderKit
import Testing

@testable import GatewayServer

/// An app's side of a link: sign-ins, and calls of the platform API with what they gave.
struct LinkStage {
  static let serverKey = "sk_0123456789abcdef"

  let stage: PageStage

  init(stage: PageStage) { self.stage = stage }

  init() async throws {
    stage = try await PageStage(lines: ["usage: { source: local }", "serverKeys: [{ id: main, file: server.key }]"])
    try stage.folder.write("tenants/server.key", Array("\(Self.serverKey)\n".utf8))
  }

  /// The JSON of a sign-in at app 1.
  ///
  /// - Parameter isShared: with a regular account.
  func signIn(_ subject: String, isShared: Bool, linking: Bool = false) async throws -> JSONValue {
    stage.provider.answer { _ in
      let identity = VerifiedIdentity(
        issuer: isShared ? "speed" : "local", subject: subject, email: "\(subject)@example.org", emailVerified: true,
        fullName: isShared ? "Speed \(subject)" : "Local \(subject)", replayKeys: [], isShared: isShared)
      return PageAnswer(.finished(.identity(identity)))
    }
    let response = await stage.send(query: PageStage.query(linking ? [("link", "1")] : []))
    return try JSONValue(parsing: Array(try #require(response.brought?["_speed_auth_data"]).utf8))
  }

  func call(
    _ method: HTTPMethod, _ path: String, bearer: String?, query: String? = nil, _ body: String = ""
  ) async throws -> (status: UInt16, json: JSONValue) {
    let response = await stage.api.respond(
      to: ServiceRequest(
        method: method, methodText: "\(method.name)", host: "api.example.com", path: path, query: query,
        fields: bearer.map { [ServiceField("Authorization", "Bearer \($0)")] } ?? [], body: Array(body.utf8),
        address: .v4(0xC633_6401), requestID: "r-3"))
    return (response.status, response.body.isEmpty ? .null : try JSONValue(parsing: response.body))
  }

  func link(
    _ bearer: String, _ speedToken: String?, keep: String? = nil
  ) async throws -> (status: UInt16, json: JSONValue) {
    let members = [speedToken.map { "\"speedToken\":\"\($0)\"" }, keep.map { "\"keep\":\"\($0)\"" }].compactMap { $0 }
    return try await call(
      .post, "/api/platform/auth/link", bearer: bearer, "{\(members.joined(separator: ","))}")
  }

  func me(_ bearer: String) async throws -> (status: UInt16, json: JSONValue) {
    try await call(.get, "/api/platform/auth/me", bearer: bearer)
  }
}

// Members of the platform API's answers.
extension JSONValue {
  var token: String { self["token"]?.string ?? "" }
  var user: String { self["user"]?["id"]?.string ?? "" }
  var code: String? { self["error"]?.string }
}
