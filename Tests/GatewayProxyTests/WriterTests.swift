import GatewayBase
import GatewayHTTP
import GatewayIO
import GatewayTesting
import Testing

@testable import GatewayProxy

/// The head that a backend gets, without a socket.
@Suite struct RequestWriterTests {
  @Test("GW-17 GW-18 GW-19 a client's names never reach a backend, in any spelling")
  func disguises() throws {
    let lines = [
      "X_Speed_User: 1", "X.Speed.User: admin", "x-SPEED-user-id: 2", "X_Forwarded_For: 1.2.3.4",
      "X-Forwarded-Prefix: /admin", "X-Real-IP: 9.9.9.9", "Forwarded: for=1.1.1.1", "X-Speed: 3",
      "X-HTTP-Method-Override: DELETE", "Content_Length: 7", "Transfer.Encoding: chunked", "Via: 1.0 other",
      "X-Request-Id: mine", "Keep-Alive: timeout=9", "TE: trailers", "Upgrade: h2c", "Proxy-Authorization: x",
      "HTTP2-Settings: x",
    ]
    let head = try written(lines, token: nil)
    #expect(!head.text.contains("9.9.9.9"))
    let expected = [
      "host", "x-forwarded-host", "x-speed-app-id", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-port", "via",
      "x-request-id", "traceparent",
    ]
    #expect(head.fields.foldedNames == expected)
    #expect(head.fields["X-Request-Id"] == "0000000000000001000000000000002a")
    #expect(head.fields["Via"] == "1.1 speed-gateway")
  }

  @Test("Via names the protocol by which the request came, whatever it goes on by")
  func via() throws {
    #expect(try written([]).fields.all("Via") == ["1.1 speed-gateway"])
    #expect(try written(["Via: 1.1 a"], minorVersion: 0).fields.all("Via") == ["1.0 speed-gateway"])
    #expect(try written([], isHTTP2: true).fields.all("Via") == ["2.0 speed-gateway"])
  }

  @Test("GW-27 the address of the peer replaces what the client says")
  func forwardedFor() throws {
    #expect(try written(["X-Forwarded-For: ::1"]).fields["X-Forwarded-For"] == "192.0.2.7")
    let address = try #require(IPAddress("2001:db8::1"))
    #expect(try written([], address: address).fields["X-Forwarded-For"] == "2001:db8::1")
  }

  @Test("GW-23 Connection can't name the gateway's fields away, and takes those that it names")
  func nominations() throws {
    let head = try written(
      ["Connection: close, X-Speed-Assertion, X-Speed-User-Id, X-Own, traceparent", "X-Own: 1", "X-Other: 2"])
    #expect(head.fields["X-Speed-Assertion"] == "assertion.of.user")
    #expect(head.fields["X-Speed-User-Id"] == "user-1")
    #expect(head.fields["X-Own"] == nil)
    #expect(head.fields["X-Other"] == "2")
    #expect(head.fields["Connection"] == nil)
    #expect(head.fields["traceparent"] != nil)
  }

  @Test("GW-26 a public route gets no identity, whatever the client sends")
  func publicRoute() throws {
    let head = try written(["X-Speed-Assertion: x", "X-Speed-User-Id: 1", "X-Speed-Role: admin"], token: nil)
    #expect(head.fields.foldedNames.filter { $0.hasPrefix("x-speed") } == ["x-speed-app-id"])
  }

  @Test("GW-21 what has no value is not written, what has one is written once")
  func identity() throws {
    let head = try written(["X-Speed-Request-From: app"], requestFrom: .web)
    let expected = [
      ("X-Speed-App-Id", "7"), ("X-Speed-User-Id", "user-1"),
      ("X-Speed-App-User-UUID", "3d4c5b2d-0000-5000-8000-000000000000"), ("X-Speed-Role", "app-user"),
      ("X-Speed-Local-User", "true"), ("X-Speed-Assertion", "assertion.of.user"), ("X-Speed-Request-From", "web"),
    ]
    for (name, value) in expected { #expect(head.fields.all(name) == [value]) }
    #expect(head.fields.lines.allSatisfy { !$0.value.isEmpty })
    #expect(try written([]).fields["X-Speed-Request-From"] == nil)
  }

  @Test("GW-22 what is written of the way is an allow-list")
  func way() throws {
    let head = try written(["X-Forwarded-Prefix: /a", "X-Forwarded-Server: b", "X-Forwarded-Ssl: on"])
    #expect(
      head.fields.foldedNames.filter { $0.hasPrefix("x-forwarded") }
        == ["x-forwarded-host", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-port"])
  }

  @Test("The bearer goes on or is kept back, as the route says")
  func bearer() throws {
    let line = "Authorization: Bearer abc"
    #expect(try written([line]).fields["Authorization"] == "Bearer abc")
    #expect(try written([line], forwardsToken: false).fields["Authorization"] == nil)
  }

  @Test("The method's disguise passes only where the tenant says so")
  func methodOverride() throws {
    let line = "X-HTTP-Method-Override: DELETE"
    #expect(try written([line]).fields["X-HTTP-Method-Override"] == nil)
    #expect(try written([line], methodOverride: true).fields["X-HTTP-Method-Override"] == "DELETE")
  }

  @Test("GW-31 the line has the canonical path, the query as it came, and one Host")
  func line() throws {
    let head = try written([], target: "/x/../a//%7eb?q=%2F../1")
    #expect(head.text.hasPrefix("GET /a/~b?q=%2F../1 HTTP/1.1\r\nHost: app.test\r\n"))
    #expect(head.fields.all("Host") == ["app.test"])
    #expect(head.text.hasSuffix("\r\n\r\n"))
  }

  @Test("GW-9 the body's framing is written anew")
  func framing() throws {
    #expect(try written(["Content-Length: 0007"]).fields["Content-Length"] == "7")
    #expect(try written(["Transfer-Encoding: Chunked"]).fields["Transfer-Encoding"] == "chunked")
    #expect(try written([]).fields["Content-Length"] == nil)
  }

  @Test("The largest head that is taken fits with all that is added")
  func largestHead() throws {
    var lines = (0..<(Limits.fields - 3)).map { "a\($0):b" }
    let used = "GET / HTTP/1.1\r\nHost: app.test\r\n\r\n".utf8.count + lines.reduce(0) { $0 + $1.utf8.count + 2 }
    lines.append("X-Big:" + String(repeating: "v", count: Limits.requestHeadCeiling - used - 8))
    let head = try written(lines, requestFrom: .none)
    #expect(head.fields["X-Big"] != nil)
    #expect(head.text.utf8.count > Limits.requestHeadCeiling)
  }

  private struct Head {
    let text: String
    let fields: HTTPFields
  }

  private func written(
    _ lines: [String], target: String = "/", token: RememberedToken? = .sample,
    requestFrom: RequestWriter.RequestFrom = .none,
    forwardsToken: Bool = true, methodOverride: Bool = false, isHTTP2: Bool = false, minorVersion: Int = 1,
    address: IPAddress = .v4(0xC000_0207)
  ) throws -> Head {
    let head = Array(
      ("GET \(target) HTTP/1.\(minorVersion)\r\nHost: app.test\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n").utf8)
    var fields = FieldTable()
    var buffer = TargetBuffer()
    var block = BlockPool(kept: 0).take()
    let request = try RequestParser.parse(head.span, into: &fields)
    let canonical = try CanonicalTarget.parse(
      head.span.extracting(request.targetRange), method: request.method, into: &buffer)
    RequestWriter.write(
      RequestWriter.Parts(
        request: request, isHTTP2: isHTTP2, framing: request.framing, canonical: canonical,
        methodOverride: methodOverride, forwardsToken: forwardsToken, address: address, requestFrom: requestFrom,
        offer: nil,
        id: RequestID(high: 1, low: 42), spanID: 5),
      hostFields: Array("Host: app.test\r\nX-Forwarded-Host: app.test\r\nX-Speed-App-Id: 7\r\n".utf8),
      forwardedFields: Array("X-Forwarded-Proto: http\r\nX-Forwarded-Port: 80\r\n".utf8), token: token,
      head: head.span, fields: fields, target: buffer, to: &block)
    let text = block.text
    return Head(text: text, fields: .read(text))
  }
}

extension RememberedToken {
  fileprivate static var sample: RememberedToken {
    RememberedToken(.sample(now: UnixTime(seconds: 1_000)))
  }
}

extension HTTPFields {
  /// The fields of a head.
  fileprivate static func read(_ head: String) -> HTTPFields {
    let lines = head.split(separator: "\r\n").dropFirst()
    return HTTPFields(
      lines.map { line in
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), String(parts[1].drop { $0 == " " }))
      })
  }
}

extension ByteBlock {
  fileprivate var text: String {
    var all: [UInt8] = []
    for index in bytes.indices { all.append(bytes[index]) }
    return String(decoding: all, as: UTF8.self)
  }
}

/// The head that a client gets of a backend's answer.
@Suite struct ResponseWriterTests {
  @Test("What speaks of the connection, of the gateway or of another way is not passed on")
  func hygiene() throws {
    let head = try written(
      "HTTP/1.1 200 Fine",
      [
        "Content-Length: 3", "Connection: x-own", "X-Own: 1", "Keep-Alive: timeout=5", "X-Speed-Usage: 4",
        "X_Speed_Error: x", "Alt-Svc: h3", "X-Request-Id: theirs", "Set-Cookie: a=1", "Set-Cookie: b=2",
      ])
    #expect(head.text.hasPrefix("HTTP/1.1 200 Fine\r\n"))
    #expect(head.fields.foldedNames == ["set-cookie", "set-cookie", "content-length", "x-request-id"])
    #expect(head.fields["X-Request-Id"] == "0000000000000001000000000000002a")
  }

  @Test("GW-46 where the app has a policy of origins, it speaks in the backend's place")
  func origins() throws {
    let lines = [
      "Access-Control-Allow-Origin: *", "access-control-allow-credentials: true", "Access-Control-Allow-Methods: PUT",
      "Access-Control-Allow-Headers: X-A", "Access-Control-Max-Age: 9", "Access-Control-Expose-Headers: X-Total",
      "Vary: Accept",
    ]
    func names(_ cors: CORSDecision) throws -> [String] {
      try written("HTTP/1.1 200 X", lines, cors: cors).fields.foldedNames.filter { $0 != "x-request-id" }
    }
    #expect(try names(.refused) == ["vary"])
    #expect(try names(.granted(0)) == ["access-control-expose-headers", "vary"])
    #expect(try names(.none).count == lines.count)
  }

  @Test("GW-77 a redirect goes to the client as it is")
  func redirect() throws {
    let head = try written("HTTP/1.1 302 X", ["Location: http://169.254.169.254/", "Content-Length: 0"])
    #expect(head.fields["Location"] == "http://169.254.169.254/")
  }

  @Test("A body of unknown length is chunked, one of known length has it")
  func framing() throws {
    let chunked = try written("HTTP/1.1 200 X", ["Transfer-Encoding: chunked"], inChunks: true)
    #expect(chunked.fields["Transfer-Encoding"] == "chunked")
    #expect(chunked.fields["Content-Length"] == nil)
    #expect(try written("HTTP/1.1 200 X", ["Content-Length: 07"]).fields["Content-Length"] == "7")
  }

  @Test("A 204 has no length, a 304 and an answer to HEAD keep theirs")
  func noBody() throws {
    #expect(try written("HTTP/1.1 204 X", ["Content-Length: 5"]).fields["Content-Length"] == nil)
    #expect(try written("HTTP/1.1 304 X", ["Content-Length: 5"]).fields["Content-Length"] == "5")
    #expect(try written("HTTP/1.1 200 X", ["Content-Length: 5"], method: .head).fields["Content-Length"] == "5")
  }

  @Test(
    "The connection's end is told, and to HTTP/1.0 also that it goes on",
    arguments: [(false, true, nil), (false, false, "close"), (true, true, "keep-alive"), (true, false, "close")]
      as [(Bool, Bool, String?)])
  func connection(isHTTP10: Bool, keepsConnection: Bool, value: String?) throws {
    let head = try written(
      "HTTP/1.1 200 X", ["Content-Length: 0"], isHTTP10: isHTTP10, keepsConnection: keepsConnection)
    #expect(head.fields["Connection"] == value)
  }

  private func written(
    _ line: String, _ lines: [String], method: HTTPMethod = .get, inChunks: Bool = false, isHTTP10: Bool = false,
    keepsConnection: Bool = true, cors: CORSDecision = .none
  ) throws -> (text: String, fields: HTTPFields) {
    let bytes = Array(([line] + lines).map { "\($0)\r\n" }.joined().utf8) + Array("\r\n".utf8)
    var fields = FieldTable()
    var block = BlockPool(kept: 0).take()
    let head = try #require(ResponseParser.parse(bytes.span, requestMethod: method, into: &fields))
    ResponseWriter.write(
      head, bytes.span, fields, id: RequestID(high: 1, low: 42), inChunks: inChunks, isHTTP10: isHTTP10,
      keepsConnection: keepsConnection, cors: cors, to: &block)
    ResponseWriter.end(&block)
    let text = block.text
    return (text, .read(text))
  }
}

@Suite struct TraceContextTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

  @Test("A well-formed trace is continued under a span of our own, its state with it")
  func continued() throws {
    let lines = try written("traceparent: 00-\(Self.trace)-00f067aa0ba902b7-00\r\ntracestate: a=1")
    #expect(lines == "traceparent: 00-\(Self.trace)-0000000000000005-00\r\ntracestate: a=1\r\n")
  }

  @Test(
    "A malformed trace is replaced, and its state dropped",
    arguments: [
      "00-\(trace)-00f067aa0ba902b7", "01-\(trace)-00f067aa0ba902b7-01", "00-\(trace)-00f067aa0ba902b7-01-x",
      "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-\(trace)-0000000000000000-01",
      "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", "00-\(trace)-00f067aa0ba902b7-0g", "",
    ])
  func replaced(value: String) throws {
    #expect(
      try written("traceparent: \(value)\r\ntracestate: a=1")
        == "traceparent: 00-0000000000000001000000000000002a-0000000000000005-01\r\n")
  }

  @Test("Two traces are none")
  func repeated() throws {
    let one = "traceparent: 00-\(Self.trace)-00f067aa0ba902b7-00"
    #expect(try !written("\(one)\r\n\(one)").contains(Self.trace))
  }

  private func written(_ lines: String) throws -> String {
    let head = Array("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n".utf8)
    var fields = FieldTable()
    var block = BlockPool(kept: 0).take()
    _ = try RequestParser.parse(head.span, into: &fields)
    TraceContext.write(RequestID(high: 1, low: 42), span: 4, head: head.span, fields: fields, to: &block)
    return block.text
  }
}
