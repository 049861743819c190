import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayHTTP

@Suite("HTTP/2 between two machines") struct HTTP2FlowTests {
  private let head = "GET /a HTTP/1.1\r\nHost: app\r\nX-Y: z\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test("a request and its answer keep what is theirs and lose what was the connection's")
  func exchange() throws {
    let pair = HTTP2Pair()
    let stream = try #require(pair.client.request(head, trailers: true, tag: 7))
    pair.exchange()
    #expect(
      pair.gateway.events() == [
        .request(stream, "GET /a HTTP/1.1\r\nHost: app\r\nx-y: z\r\nte: trailers\r\n\r\n", ends: true)
      ])
    #expect(pair.client.machine.tag(of: HTTP2StreamID(stream)) == 7)
    pair.gateway.owner.bodies[HTTP2StreamID(stream)] = .init(bytes: Array("hello".utf8))
    pair.gateway.respond(
      stream, "HTTP/1.1 200 OK\r\nA: b\r\nKeep-Alive: timeout=1\r\nConnection: close\r\n\r\n", endsStream: false)
    pair.exchange()
    #expect(
      pair.client.events() == [
        .response(stream, "HTTP/1.1 200 \r\na: b\r\n\r\n", ends: false), .data(stream, "hello"), .ended(stream),
        .closed(stream, 0),
      ])
    #expect(pair.gateway.events() == [.closed(stream, 0)])
    #expect(pair.client.machine.openStreams == 0 && pair.gateway.machine.openStreams == 0)
  }

  @Test("interim answers come before the final one, and trailers end both directions")
  func interimAndTrailers() throws {
    let pair = HTTP2Pair()
    let stream = try #require(pair.client.request("POST /a HTTP/1.1\r\nHost: app\r\n\r\n", endsStream: false))
    let id = HTTP2StreamID(stream)
    pair.client.owner.bodies[id] = .init(bytes: [], isWhole: false)
    pair.exchange()
    pair.gateway.respond(stream, "HTTP/1.1 100 Continue\r\n\r\n")
    pair.exchange()
    #expect(pair.client.events() == [.response(stream, "HTTP/1.1 100 \r\n\r\n", ends: false)])
    pair.client.owner.bodies[id] = .init(bytes: Array("up".utf8), trailers: "X-Sum: 1\r\n")
    pair.client.machine.resume(id)
    pair.exchange()
    #expect(
      pair.gateway.events().dropFirst() == [
        .data(stream, "up"), .trailers(stream, "x-sum: 1\r\n"), .ended(stream),
      ])
    pair.gateway.owner.bodies[id] = .init(bytes: Array("down".utf8), trailers: "grpc-status: 0\r\n")
    pair.gateway.respond(stream, "HTTP/1.1 200 OK\r\n\r\n", endsStream: false)
    pair.exchange()
    #expect(
      pair.client.events() == [
        .response(stream, "HTTP/1.1 200 \r\n\r\n", ends: false), .data(stream, "down"),
        .trailers(stream, "grpc-status: 0\r\n"), .ended(stream), .closed(stream, 0),
      ])
  }

  @Test(
    "bodies arrive whole whatever the sizes of reads and writes",
    arguments: [(65_536, 65_536), (1000, 2000), (500, Limits.http2LeastRoom)])
  func bodies(step: Int, room: Int) throws {
    let pair = HTTP2Pair()
    let size = 1_000_000
    var streams: [Int32] = []
    for _ in 0..<3 { streams.append(try #require(pair.client.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))) }
    pair.exchange(step: step, room: room)
    pair.client.owner.keepsData = false
    for stream in streams {
      pair.gateway.owner.bodies[HTTP2StreamID(stream)] = .init(bytes: Array(repeating: 7, count: size))
      pair.gateway.respond(stream, "HTTP/1.1 200 OK\r\n\r\n", endsStream: false)
    }
    pair.exchange(step: step, room: room)
    #expect(pair.client.owner.dataCount == 3 * size)
    #expect(pair.client.events().filter { if case .ended = $0 { true } else { false } }.count == 3)
  }

  @Test("a stream whose bytes are not credited stops at its window, and others go on")
  func windows() throws {
    let pair = HTTP2Pair()
    pair.client.owner.creditsAtOnce = false
    pair.client.owner.keepsData = false
    let slow = try #require(pair.client.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
    let other = try #require(pair.client.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
    pair.exchange()
    pair.gateway.owner.bodies[HTTP2StreamID(slow)] = .init(bytes: Array(repeating: 7, count: 200_000))
    pair.gateway.respond(slow, "HTTP/1.1 200 OK\r\n\r\n", endsStream: false)
    pair.exchange()
    #expect(pair.client.owner.dataCount == Limits.http2StreamWindow)
    pair.gateway.owner.bodies[HTTP2StreamID(other)] = .init(bytes: Array(repeating: 7, count: 1000))
    pair.gateway.respond(other, "HTTP/1.1 200 OK\r\n\r\n", endsStream: false)
    pair.exchange()
    #expect(pair.client.owner.dataCount == Limits.http2StreamWindow + 1000)
    pair.client.machine.credit(HTTP2StreamID(slow), Limits.http2StreamWindow)
    pair.exchange()
    #expect(pair.client.owner.dataCount == 2 * Limits.http2StreamWindow + 1000)
  }

  @Test("what a closed stream had not credited does not stay away from the connection's window")
  func connectionWindow() throws {
    let pair = HTTP2Pair()
    pair.client.owner.creditsAtOnce = false
    pair.client.owner.keepsData = false
    for _ in 0..<40 {
      let stream = try #require(pair.client.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
      pair.exchange()
      pair.gateway.owner.bodies[HTTP2StreamID(stream)] = .init(bytes: Array(repeating: 7, count: 60_000))
      pair.gateway.respond(stream, "HTTP/1.1 200 OK\r\n\r\n", endsStream: false)
      pair.exchange()
    }
    #expect(pair.client.owner.dataCount == 40 * 60_000)
  }

  @Test("an answer that ends before its request stops the client with NO_ERROR, and the rest is dropped")
  func earlyAnswer() throws {
    let pair = HTTP2Pair()
    let stream = try #require(pair.client.request("POST / HTTP/1.1\r\nHost: a\r\n\r\n", endsStream: false))
    pair.client.owner.bodies[HTTP2StreamID(stream)] = .init(bytes: [1], isWhole: false)
    pair.exchange()
    pair.gateway.respond(stream, "HTTP/1.1 413 Content Too Large\r\n\r\n")
    pair.exchange()
    #expect(
      pair.client.events() == [.response(stream, "HTTP/1.1 413 \r\n\r\n", ends: true), .closed(stream, 0)])
    #expect(pair.gateway.events().last == .closed(stream, 0))
  }

  @Test("a refused request is answered on its stream, and its body is dropped")
  func refusal() throws {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.headers(1, RawFrame.pseudo(path: "/a b"), ends: false))
    #expect(side.events() == [.refused(1, 400, ends: false)])
    side.receive(RawFrame.data(1, "body", ends: true))
    #expect(side.events() == [])
    side.respond(1, "HTTP/1.1 400 Bad Request\r\n\r\n")
    let frames = RawFrame.all(side.output())
    #expect(frames.map(\.type) == [1])
    #expect(side.events() == [.closed(1, 0)])
  }

  @Test("a reset reaches the other side once, and nothing more comes of the stream")
  func resets() throws {
    let pair = HTTP2Pair()
    let stream = try #require(pair.client.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
    let waiting = try #require(pair.client.request("GET /w HTTP/1.1\r\nHost: a\r\n\r\n"))
    // Its HEADERS have not gone yet.
    pair.client.machine.reset(HTTP2StreamID(waiting), .cancel)
    pair.exchange()
    #expect(pair.client.events() == [.closed(waiting, HTTP2ErrorCode.cancel.rawValue)])
    pair.gateway.owner.bodies[HTTP2StreamID(stream)] = .init(bytes: [], isWhole: false)
    pair.gateway.respond(stream, "HTTP/1.1 200 OK\r\n\r\n", endsStream: false)
    pair.exchange()
    pair.client.machine.reset(HTTP2StreamID(stream), .cancel)
    pair.exchange()
    #expect(pair.gateway.events().last == .closed(stream, HTTP2ErrorCode.cancel.rawValue))
    #expect(pair.client.events().last == .closed(stream, HTTP2ErrorCode.cancel.rawValue))
    #expect(pair.gateway.machine.openStreams == 0 && pair.client.machine.openStreams == 0)
  }

  @Test("a teardown tells of the end of each stream, once, and nothing afterwards")
  func tearDown() throws {
    let pair = HTTP2Pair()
    let first = try #require(pair.client.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
    let second = try #require(pair.client.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n", endsStream: false))
    pair.exchange()
    _ = pair.gateway.events()
    pair.gateway.machine.tearDown(.cancel)
    #expect(Set(pair.gateway.events().map(\.stream)) == [first, second])
    pair.gateway.machine.tearDown(.cancel)
    pair.gateway.respond(first, "HTTP/1.1 200 OK\r\n\r\n", endsStream: false)
    pair.exchange()
    #expect(pair.gateway.events() == [])
    // One more waits to be sent.
    _ = pair.client.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    pair.client.machine.tearDown(.internalError)
    #expect(pair.client.machine.openStreams == 0)
    _ = pair.client.output()
  }
}

extension HTTP2Event {
  var stream: Int32 {
    switch self {
    case .request(let id, _, _), .refused(let id, _, _), .response(let id, _, _), .data(let id, _),
      .trailers(let id, _), .ended(let id), .closed(let id, _):
      id
    }
  }
}
