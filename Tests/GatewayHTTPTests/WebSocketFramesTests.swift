import GatewayHTTP
import Testing

@Suite("WebSocketFrames") struct WebSocketFramesTests {
  private static let frames: [[UInt8]] = [
    [0x81, 0x00], [0x81, 0x03, 1, 2, 3], [0x82, 126, 0x01, 0x00] + [UInt8](repeating: 7, count: 256),
    [0x89, 0x82, 9, 9, 9, 9, 1, 2], [0x82, 127, 0, 0, 0, 0, 0, 0, 0, 2, 5, 6], [0x88, 0x80, 1, 2, 3, 4],
  ]

  @Test("it is between frames after each whole one and inside at every other byte", arguments: frames)
  func boundaries(frame: [UInt8]) {
    var cursor = WebSocketFrames()
    for (index, byte) in frame.enumerated() {
      pass([byte], &cursor)
      #expect(cursor.isBetweenFrames == (index == frame.count - 1))
    }
  }

  @Test("it needs no particular cut: all frames in one piece end between frames")
  func onePiece() {
    var cursor = WebSocketFrames()
    pass(Self.frames.flatMap { $0 }, &cursor)
    #expect(cursor.isBetweenFrames)
  }

  private func pass(_ bytes: [UInt8], _ cursor: inout WebSocketFrames) { cursor.pass(bytes.span) }

  private func rest(_ cursor: WebSocketFrames, _ bytes: [UInt8]) -> Int { cursor.rest(in: bytes.span) }

  @Test("the rest of a frame that has begun is told, and nothing of the next")
  func rest() {
    for frame in Self.frames {
      for cut in 1..<frame.count {
        var cursor = WebSocketFrames()
        pass(Array(frame[..<cut]), &cursor)
        let left = Array(frame[cut...])
        #expect(rest(cursor, left + Self.frames[1]) == left.count)
        #expect(rest(cursor, left.dropLast()) == left.count - 1)
        pass(left, &cursor)
        #expect(rest(cursor, Self.frames[1]) == 0)
      }
    }
  }

  @Test("the largest length is no overflow")
  func largest() {
    var cursor = WebSocketFrames()
    pass([0x82, 127] + [UInt8](repeating: 0xFF, count: 8) + [1, 2], &cursor)
    #expect(!cursor.isBetweenFrames)
  }

  @Test("a close frame holds its code and reason")
  func close() {
    #expect(WebSocketFrames.close(1008, "no") == [0x88, 4, 0x03, 0xF0, 0x6E, 0x6F])
  }
}

@Suite("WebSocketOffer") struct WebSocketOfferTests {
  private func offer(_ lines: [String]) throws -> (offer: WebSocketOffer, token: String?, passing: [String]) {
    let text = "GET / HTTP/1.1\r\nHost: a\r\n" + lines.map { "Sec-WebSocket-Protocol: \($0)\r\n" }.joined() + "\r\n"
    let head = Array(text.utf8)
    var fields = FieldTable()
    _ = try RequestParser.parse(head.span, into: &fields)
    var passing: [String] = []
    WebSocketOffer.forEachPassing(head.span, fields) { passing.append(String(decoding: head[$0], as: UTF8.self)) }
    let offer = WebSocketOffer.read(head.span, fields)
    return (offer, offer.token.map { String(decoding: head[$0], as: UTF8.self) }, passing)
  }

  @Test("the token is found in any place and over several lines, and only the others pass")
  func found() throws {
    for lines in [["speed.bearer.abc, chat"], ["chat,speed.bearer.abc"], ["chat", "speed.bearer.abc"]] {
      let (offer, token, passing) = try offer(lines)
      #expect(token == "abc" && passing == ["chat"])
      #expect(!offer.isAmbiguous && offer.hasOthers && !offer.includesSpeed)
    }
  }

  @Test("two tokens are ambiguous, and speed is told apart from what begins like it")
  func kinds() throws {
    #expect(try offer(["speed.bearer.a, speed.bearer.a"]).offer.isAmbiguous)
    #expect(try offer(["speed, x"]).offer.includesSpeed)
    #expect(try !offer(["speedy, speed.x"]).offer.includesSpeed)
    #expect(try offer(["speed.bearer."]).token == "")
    #expect(try offer([]).token == nil)
    #expect(try !offer(["speed.bearer.a"]).offer.hasOthers)
  }
}
