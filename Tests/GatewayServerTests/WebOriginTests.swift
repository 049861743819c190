import GatewayBase
import GatewayConfig
import GatewayHTTP
import GatewayProxy
import Testing

@testable import GatewayServer

@Suite("Pages that call the platform") struct WebOriginTests {
  private let directory = GatewayServerTests.directory([
    yaml(1, "a.example") + "cors: { origins: [https://web.example], credentials: true }\n"
  ])

  private func origin(
    _ method: HTTPMethod, _ fields: [(String, String)]
  ) -> (origin: WebOrigin, request: ServiceRequest) {
    let request = request(method, "/api/platform/auth/me", fields: fields)
    return (WebOrigin(of: request, in: directory), request)
  }

  @Test("GW-46 an app's page may read answers and refusals, without credentials")
  func allowed() {
    let answer = origin(.post, [("Origin", "https://web.example")]).origin
      .allowing(.refusal(.invalidToken, requestID: "r"))
    #expect(answer.value(of: "Access-Control-Allow-Origin") == "https://web.example")
    #expect(answer.value(of: "Access-Control-Allow-Credentials") == nil)
    #expect(answer.value(of: "Access-Control-Expose-Headers")?.contains("X-Speed-Error") == true)
    #expect(answer.value(of: "Vary") == "Origin")
  }

  /// Answers as one of a host's services.
  private struct Part: Service {
    let name: String

    func respond(to request: ServiceRequest) async -> ServiceResponse { ServiceResponse(204) }

    func fields(forOrigin origin: String?) -> [ServiceField] { [ServiceField("X-Part", name)] }
  }

  @Test("on a host of both, a refusal in the API's place says of origins what the API says")
  func hostOfBoth() {
    let both = PagesAndAPI(pages: Part(name: "pages"), api: Part(name: "api"))
    #expect(both.fields(forOrigin: "https://web.example") == [ServiceField("X-Part", "api")])
  }

  @Test(
    "other pages, and requests of no page, are told that the answer differs by origin",
    arguments: [
      [], [("Origin", "https://evil.example")], [("Origin", "null")],
      [("Origin", "https://web.example"), ("Origin", "https://web.example")],
    ])
  func refused(fields: [(String, String)]) {
    let answer = origin(.post, fields).origin.allowing(ServiceResponse(200))
    #expect(answer.value(of: "Access-Control-Allow-Origin") == nil)
    #expect(answer.value(of: "Vary") == "Origin")
  }

  @Test("GW-42 a preflight is answered for what it is")
  func preflight() throws {
    let asked = [
      ("Origin", "https://web.example"), ("Access-Control-Request-Method", "POST"),
      ("Access-Control-Request-Headers", "authorization,content-type"),
    ]
    let (good, request) = origin(.options, asked)
    let answer = try #require(good.preflight(request))
    #expect(answer.status == 204)
    #expect(answer.value(of: "Access-Control-Allow-Origin") == "https://web.example")
    #expect(answer.value(of: "Access-Control-Allow-Methods") == "GET, HEAD, POST, DELETE")
    #expect(answer.value(of: "Access-Control-Allow-Headers") == "authorization, content-type")
    let (foreign, other) = origin(.options, [("Origin", "https://evil.example"), asked[1]])
    let refused = try #require(foreign.preflight(other))
    #expect(refused.status == 204 && refused.value(of: "Access-Control-Allow-Origin") == nil)
    #expect(refused.value(of: "Access-Control-Allow-Methods") == nil)
  }

  @Test(
    "GW-43 other requests of OPTIONS are none",
    arguments: [
      (HTTPMethod.options, [("Origin", "https://web.example")]),
      (.options, [("Access-Control-Request-Method", "POST")]),
      (.get, [("Origin", "https://web.example"), ("Access-Control-Request-Method", "POST")]),
    ])
  func noPreflight(method: HTTPMethod, fields: [(String, String)]) {
    let (origin, request) = origin(method, fields)
    #expect(origin.preflight(request) == nil)
  }
}

@Suite("Limits of sign-ins") struct SignInLimitTests {
  private func request(_ address: String) throws -> ServiceRequest {
    ServiceRequest(
      method: .post, methodText: "POST", host: "localhost", path: "/", query: nil, fields: [], body: [],
      address: try #require(IPAddress(address)), requestID: "r-1")
  }

  @Test("GW-105 an address has so many attempts, and is told when to come again; others go on")
  func limit() throws {
    let limit = SignInLimit(
      RateRule(requests: 2, milliseconds: 60_000), RateLimiter(capacity: 512))
    #expect(try limit.refusal(of: request("2001:db8::1")) == nil && limit.refusal(of: request("2001:db8::2")) == nil)
    let refusal = try #require(try limit.refusal(of: request("2001:db8::3")))
    #expect(refusal.status == 429 && refusal.value(of: "X-Speed-Error") == "rate_limited")
    let wait = try #require(refusal.value(of: "Retry-After").flatMap { Int($0) })
    #expect((1...30).contains(wait))
    #expect(refusal.value(of: "RateLimit") == "\"default\";r=0;t=\(wait)")
    #expect(refusal.value(of: "RateLimit-Policy") == "\"default\";q=2;w=60")
    #expect(try limit.refusal(of: request("192.0.2.1")) == nil)
  }
}
