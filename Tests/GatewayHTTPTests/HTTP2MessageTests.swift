import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayHTTP

@Suite("HTTP/2 messages") struct HTTP2MessageTests {
  private let malformed = HTTP2ErrorCode.protocolError.rawValue

  @Test(
    "a body that is not of the length that its head says resets the stream",
    arguments: [
      ("3", ["abcd"]), ("3", ["ab", "cd"]), ("3", ["ab"]), ("0", ["a"]), ("3", [""]),
    ] as [(String, [String])])
  func lengths(length: String, parts: [String]) {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.get(1, [("content-length", length)], ends: false))
    for (index, part) in parts.enumerated() {
      side.receive(RawFrame.data(1, part, ends: index == parts.count - 1))
    }
    #expect(side.resets() == [1: malformed])
    let events = side.events()
    #expect(events.last == .closed(1, malformed))
    #expect(!events.contains(.ended(1)))
  }

  @Test("a body of the right length passes, with trailers too")
  func rightLength() {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.get(1, [("content-length", "3")], ends: false) + RawFrame.data(1, "ab"))
    side.receive(RawFrame.data(1, "c", ends: true))
    #expect(side.events().dropFirst() == [.data(1, "ab"), .data(1, "c"), .ended(1)])
    side.receive(RawFrame.get(3, [("content-length", "1")], ends: false) + RawFrame.data(3, "a"))
    side.receive(RawFrame.headers(3, [("x-sum", "1")]))
    #expect(side.events().dropFirst() == [.data(3, "a"), .trailers(3, "x-sum: 1\r\n"), .ended(3)])
  }

  @Test("a head that ends its stream and announces a body resets it")
  func lengthWithoutBody() {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.get(1, [("content-length", "3")]))
    #expect(side.resets() == [1: malformed])
    side.receive(RawFrame.get(3, [("content-length", "0")]))
    #expect(side.events().last == .request(3, "GET / HTTP/1.1\r\nHost: a\r\ncontent-length: 0\r\n\r\n", ends: true))
  }

  @Test(
    "an odd or repeated length is left to the parser, who refuses it", arguments: [["+3"], ["3, 3"], ["3", "3"], [""]])
  func oddLengths(values: [String]) {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.get(1, values.map { ("content-length", $0) }, ends: false))
    guard case .request(1, let head, false) = side.events().first else {
      Issue.record("no request")
      return
    }
    #expect(refusal(head)?.status == 400)
  }

  @Test(
    "trailers that do not end the stream, hold pseudo-fields or are too large reset it",
    arguments: [
      RawFrame.headers(1, [("a", "b")], ends: false), RawFrame.headers(1, [(":path", "/")]),
      RawFrame.headers(1, [("connection", "close")]), RawFrame.headers(1, [("A", "b")]),
      RawFrame.begunHeaders(1, RawFrame.block([("a", String(repeating: "x", count: 10_000))]))
        + RawFrame.continuation(1, RawFrame.block([("b", String(repeating: "x", count: 10_000))]), ends: true),
    ])
  func badTrailers(frame: [UInt8]) {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.get(1, ends: false))
    side.receive(frame)
    #expect(side.resets() == [1: malformed])
    #expect(side.events().dropFirst() == [.closed(1, malformed)])
  }

  /// An egress machine with one request under way, and what it tells of `frames`.
  private func answer(_ frames: [UInt8], method: String = "GET") throws -> (HTTP2Side, [HTTP2Event]) {
    let side = HTTP2Side.egress()
    side.receive(RawFrame.settings() + RawFrame.settingsAck)
    _ = try #require(side.request("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n"))
    _ = side.output()
    side.receive(frames)
    return (side, side.events())
  }

  @Test(
    "an answer that is no message of HTTP/2 ends the stream with an error, and its head is not told",
    arguments: [
      [], [(":status", "20")], [(":status", "2000")], [(":status", "+20")], [(":status", "abc")], [(":status", "099")],
      [(":status", "101")], [(":status", "600")], [(":status", "200"), (":status", "200")],
      [(":status", "200"), (":path", "/")], [("a", "b"), (":status", "200")], [(":status", "200"), ("A", "b")],
      [(":status", "200"), ("a", "b\r\nc: d")], [(":status", "200"), ("connection", "close")],
      [(":status", "200"), ("transfer-encoding", "chunked")], [(":status", "100")],
    ] as [[(String, String)]])
  func badAnswers(fields: [(String, String)]) throws {
    let (side, events) = try answer(RawFrame.headers(1, fields))
    _ = side.output()
    #expect(events + side.events() == [.closed(1, malformed)])
  }

  @Test("data before the final head, or of an answer that has no body, resets the stream")
  func misplacedData() throws {
    let interim = RawFrame.headers(1, [(":status", "103")], ends: false)
    let (early, _) = try answer(interim + RawFrame.data(1, "x"))
    #expect(early.resets() == [1: malformed])
    #expect(early.events() == [.closed(1, malformed)])
    let (first, _) = try answer(RawFrame.data(1, "x"))
    #expect(first.goAwayCode() == malformed)
    let head = RawFrame.headers(1, [(":status", "200"), ("content-length", "5")], ends: false)
    let (side, told) = try answer(head + RawFrame.data(1, "hello", ends: true), method: "HEAD")
    _ = side.output()
    let events = told + side.events()
    #expect(events.last == .closed(1, malformed))
    #expect(!events.contains(.data(1, "hello")) && !events.contains(.ended(1)))
  }

  @Test("the answer to HEAD may tell the length of what it has not")
  func headAnswer() throws {
    let (_, events) = try answer(RawFrame.headers(1, [(":status", "200"), ("content-length", "5")]), method: "HEAD")
    #expect(events == [.response(1, "HTTP/1.1 200 \r\ncontent-length: 5\r\n\r\n", ends: true), .closed(1, 0)])
  }

  @Test("a reset with NO_ERROR after a whole answer leaves the answer good")
  func resetAfterAnswer() throws {
    let side = HTTP2Side.egress()
    side.receive(RawFrame.settings() + RawFrame.settingsAck)
    let stream = try #require(side.request("POST / HTTP/1.1\r\nHost: a\r\n\r\n", endsStream: false))
    side.owner.bodies[HTTP2StreamID(stream)] = .init(bytes: [1], isWhole: false)
    _ = side.output()
    side.receive(RawFrame.headers(1, [(":status", "413")]) + RawFrame.reset(1, 0))
    #expect(side.events() == [.response(1, "HTTP/1.1 413 \r\n\r\n", ends: true), .closed(1, 0)])
  }

  @Test("a backend's GOAWAY gives back the requests that it did not take, and those before go on")
  func backendGoesAway() throws {
    let side = HTTP2Side.egress()
    side.receive(RawFrame.settings() + RawFrame.settingsAck)
    for _ in 0..<3 { _ = try #require(side.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n")) }
    _ = side.output()
    side.receive(RawFrame.goAway(last: 1))
    #expect(Set(side.events().map(\.stream)) == [3, 5])
    #expect(side.machine.peerAllows == 0)
    #expect(side.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n") == nil)
    #expect(!side.machine.isDone)
    side.receive(RawFrame.headers(1, [(":status", "204")]))
    #expect(side.events() == [.response(1, "HTTP/1.1 204 \r\n\r\n", ends: true), .closed(1, 0)])
    _ = side.output()
    #expect(side.machine.isDone)
  }

  @Test("what follows a client's GOAWAY and its last stream is not looked at, however it is cut", arguments: [1, 1000])
  func clientGoesAway(step: Int) {
    let idle = HTTP2Side.greeted()
    idle.receive(RawFrame.goAway(last: 0) + RawFrame.get(1), step: step)
    #expect(idle.events().isEmpty)
    _ = idle.output()
    #expect(idle.machine.isDone)
    let busy = HTTP2Side.greeted()
    busy.receive(RawFrame.get(1) + RawFrame.goAway(last: 0) + RawFrame.get(3), step: step)
    #expect(busy.events().map(\.stream) == [1, 3])
    busy.receive(RawFrame.reset(1) + RawFrame.reset(3) + RawFrame.get(5) + RawFrame.ping, step: step)
    #expect(busy.events() == [.closed(1, HTTP2Code.cancel), .closed(3, HTTP2Code.cancel)])
    _ = busy.output()
    #expect(busy.machine.isDone)
  }

  @Test("no more streams are opened than the backend allows")
  func backendsLimit() throws {
    let side = HTTP2Side.egress()
    side.receive(RawFrame.settings([(3, 2)]) + RawFrame.settingsAck)
    #expect(side.machine.peerAllows == 2)
    for _ in 0..<2 { _ = try #require(side.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n")) }
    #expect(side.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n") == nil)
  }

  @Test("a drain first announces itself, still takes a request that was on its way, and then no more")
  func drain() {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.get(1))
    side.machine.beginGoAway()
    let notice = RawFrame.all(side.output()).first { $0.type == 7 }
    #expect(notice?.number(at: 0) == UInt32(Int32.max))
    side.receive(RawFrame.get(3))
    side.machine.finishGoAway()
    #expect(RawFrame.all(side.output()).first { $0.type == 7 }?.number(at: 0) == 3)
    side.receive(RawFrame.get(5))
    #expect(side.events().map(\.stream) == [1, 3])
    for stream: Int32 in [1, 3] {
      #expect(!side.machine.isDone)
      side.respond(stream, "HTTP/1.1 204 No Content\r\n\r\n")
      _ = side.output()
    }
    #expect(side.machine.isDone)
  }

  @Test("secrets and what differs with each message stay out of compression")
  func neverIndexed() throws {
    let side = HTTP2Side.egress()
    _ = side.output()
    _ = side.request(
      "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: s3cret\r\nCookie: s3cret\r\nX-Request-Id: s3cret\r\n\r\n")
    let block = try #require(RawFrame.all(side.output()).first { $0.type == 1 }).payload
    // Never indexed (RFC 7541 section 6.2.3): authorization is 23 of the static table, cookie 32, the other is spelled.
    #expect(block.contains([0x1F, 23 - 15]) && block.contains([0x1F, 32 - 15]))
    #expect(block.contains([0x10, 0x80 | 9]))
  }
}
