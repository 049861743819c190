import GatewayBase
import GatewayTesting
import Testing

/// `trustedProxies`: whose word on the client's address counts.
@Suite("Forwarded addresses", .onEveryWire) struct ForwardedTests {
  private static let host = "proxied.localhost"
  private let backend: ScriptedBackend

  init() throws { backend = try ScriptedBackend() }

  private func gateway(
    trusting ranges: String?, limits: String = "{ signIns: { requests: 1, per: 1h } }"
  ) throws -> GatewayProcess {
    var tenant = TenantFile(204, Self.host, bundleIDs: ["com.example.proxied"], ports: [backend.port])
    tenant.routes = [
      "{ path: /limited, backend: main, auth: none, rateLimit: { requests: 2, per: 1h, by: address } }",
      "{ path: /, backend: main, auth: none }",
    ]
    var sections = ["limits": limits]
    if let ranges { sections["trustedProxies"] = ranges }
    return try GatewayProcess(
      GatewaySetup(
        keysURL: try Stage.shared().sandbox.keysURL, tenants: ["proxied.yaml": tenant.yaml], sections: sections))
  }

  private func request(_ target: String, _ fields: [(name: String, value: String)]) -> HTTPRequest {
    HTTPRequest("GET", target, host: Self.host, fields: fields)
  }

  @Test("GW-25 an empty list trusts nobody: the backend sees one line, the peer's")
  func nobody() throws {
    let gateway = try gateway(trusting: nil)
    let seen = try gateway.exchange(
      request(
        "/",
        [
          ("X-Forwarded-For", "::1"), ("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-Proto", "https"),
          ("X-Forwarded-Uri", "/public"), ("X-Forwarded-Prefix", "/admin"),
        ])
    ).echoedFields()
    #expect(seen.all("X-Forwarded-For") == ["127.0.0.1"])
    #expect(seen.all("X-Forwarded-Proto") == [WireKind.current.scheme])
    #expect(seen["X-Forwarded-Uri"] == nil && seen["X-Forwarded-Prefix"] == nil)
  }

  @Test("GW-27 a peer that is not on the list is not believed")
  func others() throws {
    let gateway = try gateway(trusting: "[10.0.0.0/8]")
    let seen = try gateway.exchange(request("/", [("X-Forwarded-For", "1.1.1.1")])).echoedFields()
    #expect(seen.all("X-Forwarded-For") == ["127.0.0.1"])
  }

  @Test("GW-102 GW-103 behind a trusted peer the rightmost address that is not trusted is the client")
  func trusted() throws {
    let gateway = try gateway(trusting: "[127.0.0.1/32, \"::ffff:10.0.0.0/104\", fd00::/8]")
    for (value, client) in [
      ("192.0.2.1", "192.0.2.1"), ("1.1.1.1, 192.0.2.1", "192.0.2.1"), ("192.0.2.1, 10.9.9.9, fd00::1", "192.0.2.1"),
      ("1.2.3.4:5", "1.2.3.4"), ("[2001:db8::1]:5", "2001:db8::1"), ("::ffff:1.2.3.4", "1.2.3.4"),
      ("1.1.1.1, ::ffff:10.0.0.1", "1.1.1.1"), ("1.1.1.1, x, 10.0.0.1", "10.0.0.1"), ("x", "127.0.0.1"),
    ] {
      let seen = try gateway.exchange(
        request("/", [("X-Forwarded-For", value), ("X-Forwarded-Proto", "https")])
      ).echoedFields()
      #expect(seen.all("X-Forwarded-For") == [client], "\(value)")
      #expect(seen.all("X-Forwarded-Proto") == ["https"] && seen.all("X-Forwarded-Port") == ["443"])
    }
    let several = try gateway.exchange(
      request("/", [("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-For", "192.0.2.1")])
    ).echoedFields()
    #expect(several.all("X-Forwarded-For") == ["192.0.2.1"])
  }

  @Test("GW-102 B122 limits count that address: one that is made up neither dodges them nor locks others out")
  func limits() throws {
    let gateway = try gateway(trusting: "[127.0.0.1]")
    func status(_ forwarded: String) throws -> Int {
      try gateway.exchange(request("/limited", [("X-Forwarded-For", forwarded)])).status
    }
    for fake in ["203.0.113.1", "203.0.113.2"] { #expect(try status("\(fake), 192.0.2.1") == 200) }
    #expect(try status("203.0.113.3, 192.0.2.1") == 429)
    #expect(try status("203.0.113.1") == 200, "who was only named is not locked out")
    for suffix in 1...2 { #expect(try status("2001:db8:0:1::\(suffix)") == 200) }
    #expect(try status("2001:db8:0:1:9:9:9:9") == 429, "GW-103 one user has all of a /64")
    #expect(try status("2001:db8:0:2::1") == 200)
  }

  @Test("sign-ins count that address too")
  func signIns() throws {
    let gateway = try gateway(trusting: "[127.0.0.1]")
    func status(_ forwarded: String) throws -> Int {
      let body = HTTPRequest(
        "POST", GatewayProcess.signInPath, host: "api.localhost", json: .object(["appId": .integer(204)]))
      return try gateway.exchange(body.adding("X-Forwarded-For", forwarded)).status
    }
    #expect(try status("192.0.2.1") != 429)
    #expect(try status("8.8.8.8, 192.0.2.1") == 429)
    #expect(try status("192.0.2.2") != 429)
  }
}
