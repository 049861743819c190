import GatewayBase
import GatewayHTTP
import Testing

@Suite("Header policy") struct HeaderPolicyTests {
  @Test(
    "GW-17 a client's X_Speed_User never reaches a backend, however it is spelt",
    arguments: [
      "X-Speed-User-Id", "X_Speed_User_Id", "x-SPEED-user-id", "X_Speed_User", "X-Speed_User", "x-speed", "X_SPEED",
      "X-Speed-Assertion", "X-Speed-", "X~Speed~User", "X+Speed+Role", "x|speed|role", "X-Speed-Request-From",
      "X_Speed_Request_From", "X-Speed-Some-Name-That-Is-Much-Longer-Than-Any-Known-One",
      "X_Speed_Some_Name_That_Is_Much_Longer_Than_Any_Known_One",
    ])
  func speed(name: String) throws {
    let seen = try parseRequest(request("\(name): 1", "Kept: 2"))
    #expect(seen.fields[1].fieldClass.contains(.speed))
    #expect(seen.forwarded == ["Kept"])
  }

  @Test(
    "GW-17 a name that passes for any other known one when it is folded is dropped, both ways",
    arguments: ["Content_Type", "Sec_WebSocket_Protocol", "Set.Cookie", "Access_Control_Allow_Origin"])
  func disguises(name: String) throws {
    let fields = try parseRequest(request("\(name): 1")).fields
    #expect(fields[1].known == .unknown)
    #expect(!fields[1].reachesBackend && !fields[1].reachesClient)
  }

  @Test("GW-19 a client's X.Speed.User never reaches a backend")
  func dots() throws { #expect(try parseRequest(request("X.Speed.User: admin", "x.SPEED-user_ID: 1")).forwarded == []) }

  @Test(
    "GW-18 GW-22 the whole forwarding family is dropped, however it is spelt",
    arguments: [
      "X-Forwarded-For", "X_Forwarded_For", "X.Forwarded.For", "X-Forwarded-Prefix", "X-Forwarded-Host",
      "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Uri", "X-Forwarded-User", "X-Forwarded", "x-forwarded-",
      "Forwarded", "X-Real-IP", "X_Real_IP", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP",
      "X-Original-Forwarded-For", "Forwarded-For", "X-ProxyUser-Ip",
      "X_FORWARDED_SOMETHING_OF_MORE_THAN_THIRTY_TWO_BYTES",
    ])
  func forwarding(name: String) throws {
    #expect(try parseRequest(request("\(name): 1.1.1.1", "Kept: 2")).forwarded == ["Kept"])
  }

  @Test(
    "GW-25 names that claim another target or host are dropped",
    arguments: [
      "X-Original-URL", "X-Rewrite-URL", "X_Original_URL", "X-Original-Host", "X-Host", "X-HTTP-Host-Override",
      "X-Scheme",
    ])
  func targets(name: String) throws { #expect(try parseRequest(request("\(name): /admin")).forwarded == []) }

  @Test(
    "names that claim a user, or a proxy for the backend's own requests, are dropped",
    arguments: ["Remote-User", "X-Remote-User", "X_Remote_User", "Proxy", "PROXY"])
  func users(name: String) throws { #expect(try parseRequest(request("\(name): 1", "Kept: 2")).forwarded == ["Kept"]) }

  @Test(
    "GW-41 the method override family is dropped, unless the tenant opts in",
    arguments: ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
  func methodOverride(name: String) throws {
    let bytes = Array(request("\(name): DELETE").utf8)
    var table = FieldTable()
    _ = try RequestParser.parse(bytes.span, into: &table)
    let field = table[1]
    #expect(!HeaderPolicy.forwardsToBackend(field))
    #expect(HeaderPolicy.forwardsToBackend(field, methodOverride: true))
    #expect(try parseRequest(request("\(name.replacing("-", with: "_")): DELETE")).forwarded == [])
  }

  @Test(
    "GW-15 hop-by-hop fields never go on",
    arguments: [
      "Connection: x", "Keep-Alive: timeout=5", "Proxy-Connection: keep-alive", "TE: trailers", "Trailer: A",
      "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA", "Proxy-Authorization: Basic x",
      "Proxy-Authenticate: Basic", "Proxy_Authorization: Basic x", "Keep_Alive: 1",
    ])
  func hopByHop(line: String) throws { #expect(try parseRequest(request(line, "Kept: 2")).forwarded == ["Kept"]) }

  @Test(
    "what the gateway writes itself is not copied",
    arguments: ["Via", "X-Request-Id", "traceparent", "tracestate", "X_Request_Id", "Expect"])
  func gatewayOwned(name: String) throws {
    #expect(try parseRequest(request("\(name): 100-continue")).forwarded == [])
  }

  @Test("GW-11 the received Host is not copied, as exactly one is written")
  func host() throws { #expect(try parseRequest(request()).forwarded == []) }

  @Test("ordinary fields go on, odd names among them")
  func ordinary() throws {
    let names = [
      "Accept", "Cookie", "Authorization", "Content-Type", "X-Speedy", "X-Forward", "X_Custom.Name", "Origin",
    ]
    #expect(
      try parseRequest(names.reduce("GET / HTTP/1.1\r\nHost: a\r\n") { $0 + $1 + ": 1\r\n" } + "\r\n").forwarded
        == names)
  }

  @Test("GW-23 Connection names away what was received, never what the gateway adds")
  func nominations() throws {
    let seen = try parseRequest(
      request("Connection: close, X-Speed-Assertion, a", "A: 1", "B: 2", "X-Speed-Assertion: f"))
    #expect(seen.forwarded == ["B"])
    #expect(seen.head.hasNominations)
    #expect(!seen.head.keepAlive)
    #expect(seen.fields[2].fieldClass == .nominated)
  }

  @Test("a nomination counts on every line of Connection, in any case, before and after the field")
  func nominationsEverywhere() throws {
    let seen = try parseRequest(
      request(
        "First: 1", "Connection: FIRST", "Second-Field-With-A-Long-Name: 2",
        "connection: ,, second-field-with-a-LONG-name"))
    #expect(seen.forwarded == [])
  }

  @Test("a backend's hop-by-hop, nominated, framing and X-Speed fields never reach a client")
  func answers() throws {
    let seen = try #require(
      parseResponse(
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: mine\r\nMine: 1\r\nX-Speed-User-Id: 1\r\nX_Speed_Error: 1\r\n"
          + "Keep-Alive: timeout=5\r\nAlt-Svc: h3=\":443\"\r\nX-Request-Id: 1\r\nProxy-Authenticate: Basic\r\nTrailer: A\r\n"
          + "Content-Type: text/plain\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nLocation: /\r\nServer: s\r\nDate: d\r\n\r\n")
    )
    #expect(seen.forwarded == ["Content-Type", "Set-Cookie", "Set-Cookie", "Location", "Server", "Date"])
  }
}
