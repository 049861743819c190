import GatewayBase
import GatewayCrypto
import GatewayHTTP
import GatewayIO
import GatewayProxy
import GatewaySandbox
import Testing

/// A sandbox in this process, called without a socket, at a time that stands still.
struct SandboxFixture: Sendable {
  static let now: Int64 = 1_800_000_000
  let service: SandboxService

  /// One for all tests that change nothing in it: its keys take a second to make.
  private static let sharedOne = Task { try await SandboxFixture() }

  static func shared() async throws -> SandboxFixture { try await sharedOne.value }

  init(issuer: String? = nil, slowness: Duration = .seconds(3600)) async throws {
    service = try await SandboxService.make(
      issuer: issuer, pool: BlockingPool(name: "sandbox-test", threads: 2), logger: Logger(level: .error),
      clock: StoppedClock(), slowness: slowness)
  }

  func send(_ method: HTTPMethod, _ path: String, _ body: String = "", query: String? = nil) async throws
    -> ServiceResponse
  {
    await service.respond(
      to: ServiceRequest(
        method: method, methodText: "\(method.name)", host: "localhost", path: path, query: query,
        fields: [ServiceField("Host", "LocalHost:9400"), ServiceField("Content-Type", "text/plain")],
        body: Array(body.utf8), address: .v4(0x7F00_0001), requestID: "test"))
  }

  func get(_ path: String, query: String? = nil) async throws -> ServiceResponse {
    try await send(.get, path, query: query)
  }

  func post(_ path: String, _ body: String = "") async throws -> ServiceResponse { try await send(.post, path, body) }

  /// The set that `/auth/keys` serves.
  func keys() async throws -> JSONWebKeySet { try JSONWebKeySet(parsing: try await get("/auth/keys").body) }

  /// The ids of the set, in its order.
  func keyIDs() async throws -> [String] {
    try await get("/auth/keys").json["keys"]?.array?.compactMap { $0["kid"]?.string } ?? []
  }

  /// The token that a body describes.
  func token(_ body: String = "") async throws -> SignedToken {
    let answer = try await post("/sandbox/identity-token", body)
    try #require(answer.status == 200)
    return try SignedToken(answer.json)
  }
}

/// The answer holds no token that a strict reader takes apart.
struct NoToken: Error {}

/// A minted token, taken apart.
struct SignedToken {
  let jws: CompactJWS
  let header: JSONValue
  let claims: JSONValue
  let rawNonce: String?

  init(_ answer: JSONValue) throws {
    // Not `#require`, which would print the token.
    guard let text = answer["identityToken"]?.string, let jws = CompactJWS(parsing: Array(text.utf8)),
      let header = Base64URL.decode(Array(text.utf8.prefix { $0 != UInt8(ascii: ".") }))
    else { throw NoToken() }
    self.jws = jws
    self.header = try JSONValue(parsing: header)
    claims = try JSONValue(parsing: jws.payload)
    rawNonce = answer["rawNonce"]?.string
  }

  /// Whether the key of the token's own `kid` in the set signed it.
  func isSigned(in set: JSONWebKeySet) -> Bool { jws.kid.flatMap { set[$0] }.map(jws.isSigned(by:)) ?? false }
}

extension ServiceResponse {
  var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
}

private struct StoppedClock: WallClock {
  var now: UnixTime { UnixTime(seconds: SandboxFixture.now) }
}
