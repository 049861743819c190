import GatewayBase
import GatewayHTTP
import Testing

@Suite("Field lines") struct FieldLineTests {
  @Test("names and values are found without the blanks around a value")
  func parts() throws {
    let seen = try parseRequest(
      request("A:b", "C: \t d e \t", "F:", "Long-Unknown-Name-Of-More-Than-32-Bytes: x", "G: \u{e9}"))
    #expect(seen.fields.map(\.name) == ["Host", "A", "C", "F", "Long-Unknown-Name-Of-More-Than-32-Bytes", "G"])
    #expect(seen.fields.map(\.value) == ["a", "b", "d e", "", "x", "\u{e9}"])
  }

  @Test(
    "a known name is known in any case", arguments: ["content-type", "Content-Type", "CONTENT-TYPE", "cOnTeNt-tYpE"])
  func known(name: String) throws {
    #expect(try parseRequest(request("\(name): text/plain")).fields[1].known == .contentType)
  }

  @Test("every name that the gateway knows by one spelling is found in a head and alone")
  func allNames() throws {
    let names: [(String, FieldName)] = [
      ("Host", .host), ("Content-Length", .contentLength), ("Connection", .connection), ("Keep-Alive", .keepAlive),
      ("TE", .te), ("Trailer", .trailer), ("Upgrade", .upgrade), ("Expect", .expect),
      ("Authorization", .authorization), ("Proxy-Authorization", .proxyAuthorization),
      ("Proxy-Connection", .proxyConnection), ("Proxy-Authenticate", .proxyAuthenticate), ("Origin", .origin),
      ("Access-Control-Request-Method", .accessControlRequestMethod),
      ("Access-Control-Request-Headers", .accessControlRequestHeaders),
      ("Access-Control-Allow-Credentials", .accessControlAllowCredentials), ("Via", .via), ("Forwarded", .forwarded),
      ("X-Forwarded-For", .xForwardedFor), ("X-Real-IP", .xRealIP), ("X-Request-Id", .xRequestID),
      ("Traceparent", .traceparent), ("X-Speed-Request-From", .speedRequestFrom), ("Date", .date),
      ("Server", .server), ("Cookie", .cookie), ("Set-Cookie", .setCookie), ("Sec-WebSocket-Key", .secWebSocketKey),
      ("Sec-WebSocket-Extensions", .secWebSocketExtensions), ("Location", .location), ("Retry-After", .retryAfter),
    ]
    for (name, known) in names {
      #expect(judge(name) == known, "\(name)")
      let line = "X: y\r\n\(name): 1"
      let found = try? parseRequest(
        "GET / HTTP/1.1\r\n\(name == "Host" ? "X: y\r\nHost: a" : "Host: a\r\n" + line)\r\n\r\n")
      if name != "Connection", name != "Expect" {
        #expect(found?.fields.contains { $0.known == known && $0.name == name } == true, "\(name)")
      }
    }
  }

  @Test(
    "a name that only begins or ends like a known one is unknown",
    arguments: ["hos", "hostt", "xhost", "content-lengt", "content-length-", "via-"])
  func nearMisses(name: String) { #expect(judge(name) == .unknown) }

  @Test("what is no token is no name", arguments: ["", "a b", "a:", ":path", "a\u{0}", "é", "a\"", "a,", "a\t"])
  func noName(name: String) { #expect(judge(name) == nil) }

  @Test(
    "a malformed line is 400",
    arguments: [
      "A : b", "A\t: b", " A: b", "\tA: b", "A", ": b", "A b: c", "A: b\r\n c: d", "A: b\r\n\tc", "A: \u{0}",
      "A: b\u{0}c",
      "A: b\rc", "A: b\nC: d", "A: b\n", "A\r: b", "A\n: b", "A(): b", "A: \u{7F}", "A: \u{1}", "Á: b", "A: b\r\r",
    ])
  func malformed(line: String) {
    let refused = refusal(request(line))
    #expect(refused?.status == 400)
    #expect(refused?.closesConnection == true)
  }

  @Test("GW-6 more than 128 fields are 431, 128 are not")
  func tooMany() {
    let lines = String(repeating: "a:\r\n", count: Limits.fields - 1)
    #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n") == nil)
    #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\n\(lines)a:\r\n\r\n")?.status == 431)
  }

  @Test("GW-6 a head over the ceiling is 431")
  func tooLarge() {
    let line = "A: " + String(repeating: "b", count: Limits.requestHeadCeiling)
    #expect(refusal(request(line))?.status == 431)
  }

  @Test("a head that ends early or goes on behind its empty line is 400")
  func wrongEnd() {
    #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\n")?.status == 400)
    #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\n\r")?.status == 400)
    #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\n\r\nx")?.status == 400)
    #expect(refusal("")?.status == 400)
  }

  @Test("GW-10 no host or two hosts are 400", arguments: ["1.0", "1.1"])
  func hosts(version: String) {
    #expect(refusal("GET / HTTP/\(version)\r\nA: b\r\n\r\n")?.status == 400)
    #expect(refusal(request("Host: a", version: version))?.status == 400)
    #expect(refusal(request("hOST: b", version: version))?.closesConnection == true)
  }

  @Test("the table counts and finds fields by name, and forgets the head before")
  func table() throws {
    var table = FieldTable()
    let first = Array(request("Authorization: a", "X: 1", "authorization: b", "Origin: o").utf8)
    _ = try RequestParser.parse(first.span, into: &table)
    let counts = [table.count, table.all.count, table.count(of: .authorization), table.count(of: .cookie)]
    #expect(counts == [5, 5, 2, 0])
    let firsts = [table.first(.authorization), table.first(.cookie), table.first(.unknown)]
    #expect(firsts == [1, nil, nil])
    let isRepeated = [table.isRepeated(.authorization), table.isRepeated(.origin), table.isRepeated(.unknown)]
    #expect(isRepeated == [true, false, false])
    let origin = try #require(table.only(.origin).map { text(first, $0.valueRange) })
    #expect(origin == "o")
    let authorization = table.only(.authorization) == nil
    #expect(authorization)
    _ = try RequestParser.parse(Array(request().utf8).span, into: &table)
    let after = (table.count, table.has(.authorization), table.isRepeated(.authorization))
    #expect(after == (1, false, false))
  }
}
