import GatewayTesting
import Testing

/// Section 9, "Host".
@Suite("Hosts", .onEveryWire) struct HostTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  @Test("GW-10 a request without exactly one Host is refused", .aboutHTTP1)
  func count() throws {
    try stage.expectRefusal("GET / HTTP/1.1\r\nAUTH\r\n\r\n", 400)
    try stage.expectRefusal("GET / HTTP/1.1\r\nHost: APP\r\nHost: APP\r\nAUTH\r\n\r\n", 400)
    try stage.expectRefusal("GET / HTTP/1.1\r\nHost: APP\r\nAUTH\r\nhost: b.localhost\r\n\r\n", 400)
    try stage.expectRefusal("GET / HTTP/1.0\r\nAUTH\r\n\r\n", 400)
  }

  @Test(
    "a malformed Host is refused",
    arguments: [
      "", "a b", "a@b/c", "user@APP", "APP:0", "APP:65536", "APP:-1", "APP:x", "APP:", "APP..", ".APP", "a..b", "APP/",
      "APP, APP", "http://APP", "[::1", "[::g]", "[APP]", "::1", "a_b.localhost/",
      "\(String(repeating: "a", count: 64)).b",
      "\(String(repeating: "a.", count: 140))b", "*", "%41PP", "APP\t:80",
    ])
  func malformed(host: String) throws {
    try stage.expectRefusal("GET / HTTP/1.1\r\nHost: \(host)\r\nAUTH\r\n\r\n", 400)
  }

  @Test(
    "GW-99 the port, one final dot and case do not change the app", arguments: ["APP:443", "APP.", "aPp", "APP.:80"])
  func sameApp(form: String) throws {
    let host = form == "aPp" ? "aLpHa.LOCALhost" : form
    let seen = try stage.expectForwarded("GET / HTTP/1.1\r\nHost: \(host)\r\nAUTH\r\n\r\n")
    #expect(seen.fields["X-Speed-App-Id"] == "\(App.alpha.id)")
    #expect(seen.fields["Host"] == App.alpha.host)
    #expect(seen.fields["X-Forwarded-Host"] == App.alpha.host)
  }

  @Test("GW-101 a received Host outside ASCII is refused, and the A-label of a domain reaches its app in any case")
  func international() throws {
    try stage.expectRefusal("GET / HTTP/1.1\r\nHost: bücher.example\r\nAUTH\r\n\r\n", 400)
    let bearer = try stage.freshBearer(.lax)
    for host in ["xn--bcher-kva.example", "XN--BCHER-KVA.example", "xn--bcher-kva.example.:8080"] {
      let answer = try stage.gateway.exchange(.authorized("GET", "/", host: host, bearer: bearer))
      #expect(answer.status == 200, "\(host)")
      #expect(try answer.echoedFields()["Host"] == "xn--bcher-kva.example")
    }
  }

  @Test("a host that is nobody's is 421 and leaves no byte at a backend")
  func unknown() throws {
    let marker = Marker()
    for host in ["nobody.localhost", "127.0.0.2", "[::1]:8080", "sub.alpha.localhost", "alpha.localhost.example"] {
      let answer = try stage.gateway.exchange(
        HTTPRequest("GET", "/\(marker)", host: host).adding("Authorization", "Bearer \(stage.bearer)"))
      #expect(answer.status == 421, "\(host)")
      #expect(answer.errorCode == "unknown_host")
    }
    #expect(!stage.backend.received("\(marker)"))
  }

  @Test("GW-11 the backend gets exactly one Host, the canonical one")
  func oneHost() throws {
    let seen = try stage.expectForwarded(
      "GET / HTTP/1.1\r\nHost: ALPHA.localhost:8443\r\nAUTH\r\nX-Forwarded-Host: evil.example\r\n\r\n")
    #expect(seen.fields.all("Host") == [App.alpha.host])
    #expect(seen.fields.all("X-Forwarded-Host") == [App.alpha.host])
  }

  @Test("the platform API does not answer on a host of pages")
  func dashHost() throws {
    for path in ["/", "/api/platform/auth/me", "/.well-known/jwks.json"] {
      let answer = try stage.gateway.exchange(
        HTTPRequest("GET", path, host: "dash.localhost").adding("Authorization", "Bearer \(stage.bearer)"))
      #expect(answer.status == 404 && answer.errorCode == "no_route")
    }
  }

  @Test("GW-102 an untrusted peer's X-Forwarded-For is replaced by its address, however it is changed")
  func forwardedFor() throws {
    for value in ["1.1.1.1", "127.0.0.9, 10.0.0.1", "::1", "unknown", "1.2.3.4:5"] {
      let seen = try stage.expectForwarded("GET / HTTP/1.1\r\nGOOD\r\nX-Forwarded-For: \(value)\r\n\r\n")
      #expect(seen.fields.all("X-Forwarded-For") == ["127.0.0.1"])
    }
  }

  @Test("GW-103 odd forms of an address in X-Forwarded-For reach no backend")
  func oddAddresses() throws {
    for value in ["1.2.3.4:5", "::ffff:10.0.0.1", "[2001:db8::1]:80", "\"[2001:db8::1]\""] {
      let seen = try stage.expectForwarded(
        "GET / HTTP/1.1\r\nGOOD\r\nX-Forwarded-For: \(value)\r\nX-Real-IP: \(value)\r\nForwarded: for=\(value)\r\n\r\n")
      #expect(seen.fields.all("X-Forwarded-For") == ["127.0.0.1"])
      #expect(seen.fields["X-Real-IP"] == nil)
      #expect(seen.fields["Forwarded"] == nil)
    }
  }
}
