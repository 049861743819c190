import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayHTTP

@Suite("HTTP/2 requests") struct HTTP2RequestTests {
  /// What one HEADERS frame leads to.
  private func outcome(_ fields: [(String, String)], maxHeader: Int = Limits.requestHead) -> [HTTP2Event] {
    let side = HTTP2Side.greeted(maxHeader: maxHeader)
    side.receive(RawFrame.headers(1, fields))
    return side.events()
  }

  private func status(_ fields: [(String, String)]) -> UInt16? {
    guard case .refused(1, let status, _) = outcome(fields).first else { return nil }
    return status
  }

  @Test("a request comes out in the form that the parser of HTTP/1.1 reads")
  func form() throws {
    let side = HTTP2Side.greeted()
    side.receive(
      RawFrame.headers(1, RawFrame.pseudo(method: "POST", path: "/x?y", authority: "app:443") + [("a", "b")]))
    guard case .request(1, let head, ends: true) = side.events().first else {
      Issue.record("no request")
      return
    }
    #expect(head == "POST /x?y HTTP/1.1\r\nHost: app:443\r\na: b\r\n\r\n")
    #expect(try parseRequest(head).fields.map(\.name) == ["Host", "a"])
  }

  @Test("the order of the pseudo-fields does not matter")
  func order() {
    let fields = [(":path", "/"), (":authority", "a"), (":scheme", "https"), (":method", "GET"), ("b", "c")]
    #expect(outcome(fields) == [.request(1, "GET / HTTP/1.1\r\nHost: a\r\nb: c\r\n\r\n", ends: true)])
  }

  @Test("a head that comes byte by byte, in several frames, is one head")
  func pieces() {
    let side = HTTP2Side.greeted()
    let block = RawFrame.block(RawFrame.pseudo() + [("x", "y")])
    let bytes =
      RawFrame.begunHeaders(1, Array(block.prefix(10)))
      + RawFrame.continuation(1, Array(block.dropFirst(10).prefix(5)))
      + RawFrame.continuation(1, Array(block.dropFirst(15)), ends: true)
    for byte in bytes { #expect(side.receive([byte]) == .ok) }
    #expect(side.events() == [.request(1, "GET / HTTP/1.1\r\nHost: a\r\nx: y\r\n\r\n", ends: true)])
  }

  @Test(
    "GW-3 a line end in the path never reaches a request line",
    arguments: ["/ HTTP/1.1\r\nX-A: b", "/\r", "/\n", "/\0", "/a\tb", "/\u{7F}"])
  func pathWithControl(path: String) { #expect(status(RawFrame.pseudo(path: path)) == 400) }

  @Test("GW-5 a blank in the path is refused", arguments: ["/a HTTP/1.1", "/a b", " /", "/ ", ""])
  func pathWithBlank(path: String) { #expect(status(RawFrame.pseudo(path: path)) == 400) }

  @Test("GW-46 of a head that is refused its host and its page are told, on either side of the fault")
  func refusedHead() {
    let page = [("origin", "https://a.example")]
    let long = "/" + String(repeating: "x", count: 9_000)
    for fields in [
      RawFrame.pseudo(path: long, authority: "app") + page,
      [(":method", "GET"), (":scheme", "https"), (":path", long), (":authority", "app")] + page,
      RawFrame.pseudo(authority: "app") + page + [("b", "\u{1}")],
      RawFrame.pseudo(authority: "app") + [("B", "")] + page,
      RawFrame.pseudo(authority: "app") + page + (0..<200).map { ("x-\($0)", "y") },
      RawFrame.pseudo(authority: "app") + (0..<200).map { ("x-\($0)", "y") } + page,
    ] {
      let side = HTTP2Side.greeted()
      side.receive(RawFrame.headers(1, fields))
      #expect(side.events().first?.isRefused == true)
      let head = Array(side.owner.refusedHead.utf8)
      let glimpse = HeadGlimpse(head.span)
      #expect(glimpse.host.map { Array(head[$0]) } == Array("app".utf8))
      #expect(glimpse.origin.map { Array(head[$0]) } == Array("https://a.example".utf8))
    }
  }

  @Test("a target over 8 KiB is 414, and one of 8 KiB passes")
  func longTarget() {
    let fits = "/" + String(repeating: "a", count: Limits.target - 1)
    #expect(status(RawFrame.pseudo(path: fits + "a")) == 414)
    #expect(status(RawFrame.pseudo(path: fits)) == nil)
  }

  @Test("a method that is no token is refused", arguments: ["", "G T", "GET\r\n", String(repeating: "A", count: 33)])
  func methods(method: String) { #expect(status(RawFrame.pseudo(method: method)) == 400) }

  @Test("GW-10 Host must say what :authority says")
  func hosts() {
    #expect(status(RawFrame.pseudo(authority: "a") + [("host", "b")]) == 400)
    #expect(status(RawFrame.pseudo(authority: "a") + [("host", "a"), ("host", "a")]) == nil)
    let twice = outcome(RawFrame.pseudo(authority: "a") + [("host", "a"), ("host", "b")])
    guard case .request(1, let head, _) = twice.first else {
      Issue.record("left to the parser")
      return
    }
    #expect(refusal(head)?.status == 400)
    let same = outcome(RawFrame.pseudo(authority: "App") + [("host", "aPP")])
    #expect(same == [.request(1, "GET / HTTP/1.1\r\nHost: App\r\n\r\n", ends: true)])
  }

  @Test("either of Host and :authority is enough, and neither is left to the parser")
  func oneHost() {
    let bare = [(":method", "GET"), (":scheme", "https"), (":path", "/")]
    #expect(outcome(bare + [("host", "a")]) == [.request(1, "GET / HTTP/1.1\r\nhost: a\r\n\r\n", ends: true)])
    #expect(outcome(bare) == [.request(1, "GET / HTTP/1.1\r\n\r\n", ends: true)])
    #expect(status(bare + [(":authority", "a\r\nX: y")]) == 400)
    #expect(status(bare + [(":authority", String(repeating: "a", count: Limits.authority + 1))]) == 400)
  }

  @Test(
    "a pseudo-field that is missing, repeated, unknown or late is refused",
    arguments: [
      [(":scheme", "https"), (":path", "/"), (":authority", "a")],
      [(":method", "GET"), (":path", "/"), (":authority", "a")],
      [(":method", "GET"), (":scheme", "https"), (":authority", "a")],
      RawFrame.pseudo() + [(":path", "/")], RawFrame.pseudo() + [(":authority", "a")],
      RawFrame.pseudo() + [(":method", "GET")], RawFrame.pseudo() + [(":status", "200")],
      RawFrame.pseudo() + [(":protocol", "websocket")], RawFrame.pseudo() + [(":x", "y")],
      [("a", "b")] + RawFrame.pseudo(), [("a", "b")], [], RawFrame.pseudo() + [(":", "y")],
      [(":method", "GET"), (":scheme", "ftp"), (":path", "/"), (":authority", "a")],
    ])
  func pseudoFields(fields: [(String, String)]) { #expect(status(fields) == 400) }

  @Test("CONNECT, plain or extended, is left to the judge, who refuses it with 405")
  func connect() {
    let plain = outcome([(":method", "CONNECT"), (":authority", "a:443")])
    #expect(plain == [.request(1, "CONNECT * HTTP/1.1\r\nHost: a:443\r\n\r\n", ends: true)])
    let extended = outcome(RawFrame.pseudo(method: "CONNECT", path: "/w") + [(":protocol", "websocket")])
    guard case .refused = extended.first else {
      #expect(extended == [.request(1, "CONNECT /w HTTP/1.1\r\nHost: a\r\n\r\n", ends: true)])
      return
    }
    Issue.record("refused")
  }

  @Test(
    "a field that would be read as something else in the written form is refused",
    arguments: [
      ("A", "b"), ("a b", "c"), ("a:b", "c"), ("a\r\nb", "c"), ("", "c"), ("a\0", "b"), ("a", "b\r\nc: d"),
      ("a", "b\n"), ("a", "b\0c"), ("a", "\u{1}"), ("xAy", "b"), ("a\u{7F}b:", "c"),
    ])
  func fields(name: String, value: String) { #expect(status(RawFrame.pseudo() + [(name, value)]) == 400) }

  @Test(
    "fields of a connection of HTTP/1.1 reset the stream, and the owner hears nothing",
    arguments: [
      ("connection", "close"), ("keep-alive", "timeout=1"), ("proxy-connection", "x"), ("upgrade", "h2c"),
      ("transfer-encoding", "chunked"), ("te", "gzip"), ("te", "trailers, gzip"), ("te", ""),
    ])
  func connectionFields(name: String, value: String) {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.get(1, [(name, value)]))
    #expect(side.resets() == [1: HTTP2ErrorCode.protocolError.rawValue])
    #expect(side.events() == [])
    #expect(side.machine.openStreams == 0)
  }

  @Test("te: trailers passes")
  func te() {
    #expect(outcome(RawFrame.pseudo() + [("te", "trailers")]).count == 1)
    #expect(status(RawFrame.pseudo() + [("te", "trailers")]) == nil)
  }

  @Test("crumbs of cookie become one field")
  func cookies() {
    let fields = RawFrame.pseudo() + [("cookie", "a=1"), ("b", "c"), ("cookie", "d=2"), ("cookie", "e=3")]
    #expect(
      outcome(fields) == [.request(1, "GET / HTTP/1.1\r\nHost: a\r\nb: c\r\ncookie: a=1; d=2; e=3\r\n\r\n", ends: true)]
    )
  }

  @Test("a head over its limit, or of more than 128 fields, is 431")
  func sizes() {
    let many = (0..<Limits.fields).map { ("a\($0)", "") }
    #expect(status(RawFrame.pseudo() + many) == nil)
    #expect(status(RawFrame.pseudo() + many + [("b", "")]) == 431)
    let large = [("a", String(repeating: "x", count: 16_000)), ("b", String(repeating: "x", count: 100))]
    let fits = "GET / HTTP/1.1\r\nHost: a\r\na: \r\nb: \r\n\r\n".utf8.count + 16_100
    #expect(outcome(RawFrame.pseudo() + large, maxHeader: fits).first?.isRefused == false)
    #expect(outcome(RawFrame.pseudo() + large, maxHeader: fits - 1).first == .refused(1, 431, ends: true))
    let crumbs = (0..<400).map { _ in ("cookie", "abcdefgh") }
    #expect(outcome(RawFrame.pseudo() + crumbs, maxHeader: 2000).first == .refused(1, 431, ends: true))
  }
}

extension HTTP2Event {
  var isRefused: Bool { if case .refused = self { true } else { false } }
}
