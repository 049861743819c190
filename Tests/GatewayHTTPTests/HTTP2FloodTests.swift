import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayHTTP

@Suite("HTTP/2 floods and limits") struct HTTP2FloodTests {
  private let calm = HTTP2ErrorCode.enhanceYourCalm.rawValue

  /// Sends `bytes` until the machine ends, `limit` times at most, and returns how often that was.
  private func timesUntilEnd(_ side: HTTP2Side, limit: Int, takingOutput: Bool = true, _ bytes: (Int) -> [UInt8])
    -> Int?
  {
    for round in 0..<limit {
      if case .end = side.receive(bytes(round)) { return round }
      if takingOutput { _ = side.output() }
    }
    return nil
  }

  @Test("GW-13 streams that are reset as soon as they are opened end the connection")
  func rapidReset() {
    let side = HTTP2Side.greeted()
    var isEnded = false
    for index in 0..<1000 where !isEnded {
      let stream = Int32(index * 2 + 1)
      isEnded = side.receive(RawFrame.get(stream) + RawFrame.reset(stream)) == .end(.flood)
    }
    #expect(isEnded)
    #expect(side.goAwayCode() == calm)
    let requests = side.events().filter { if case .request = $0 { true } else { false } }
    #expect(requests.count == Limits.http2Resets + 1)
    #expect(side.machine.isDone)
    #expect(side.receive(RawFrame.get(9999)) == .end(.flood))
    #expect(side.events().isEmpty)
  }

  @Test("resets that are few for their time are no flood")
  func slowResets() {
    let side = HTTP2Side.greeted()
    for index in 0..<1000 {
      let stream = Int32(index * 2 + 1)
      let verdict = side.receive(RawFrame.get(stream) + RawFrame.reset(stream), now: UInt64(index) * 50)
      #expect(verdict == .ok)
      _ = side.output()
    }
  }

  @Test(
    "resets that a client provokes count as its own",
    arguments: [
      RawFrame.get(1, [("connection", "close")]),
      RawFrame.get(1, [("content-length", "5")]),
    ])
  func provokedResets(frame: [UInt8]) {
    let side = HTTP2Side.greeted()
    let rounds = timesUntilEnd(side, limit: 1000) { round in
      var bytes = frame
      let stream = UInt32(round * 2 + 1)
      for byte in 0..<4 { bytes[5 + byte] = UInt8(truncatingIfNeeded: stream >> UInt32(24 - 8 * byte)) }
      return bytes
    }
    #expect(rounds != nil)
  }

  @Test("resets of the owner's own do not count against the client")
  func ownersResets() {
    let side = HTTP2Side.greeted()
    for index in 0..<1000 {
      let stream = Int32(index * 2 + 1)
      #expect(side.receive(RawFrame.get(stream)) == .ok)
      side.machine.reset(HTTP2StreamID(stream), .internalError)
      _ = side.output()
    }
    #expect(side.machine.openStreams == 0)
  }

  @Test("streams beyond 128 are refused, and those there go on")
  func concurrency() {
    let side = HTTP2Side.greeted()
    for index in 0...Limits.http2Streams { side.receive(RawFrame.get(Int32(index * 2 + 1))) }
    #expect(side.machine.openStreams == Limits.http2Streams)
  }

  @Test(
    "frames that ask for work and move nothing end the connection",
    arguments: [
      RawFrame.ping, RawFrame.settings(), RawFrame.settings([(4, 100)]), RawFrame.priority(1),
      RawFrame.windowUpdate(0, 1), RawFrame.windowUpdate(1, 1), RawFrame.data(1, ""), RawFrame.reset(1),
    ])
  func idleFrames(frame: [UInt8]) {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.get(1, ends: false))
    let rounds = timesUntilEnd(side, limit: 2 * Limits.http2IdleFrames) { _ in frame }
    #expect(rounds != nil)
  }

  @Test("the same frames among data are no flood")
  func busyConnection() {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.get(1, ends: false))
    for _ in 0..<(2 * Limits.http2IdleFrames) {
      #expect(side.receive(RawFrame.data(1, "x") + RawFrame.ping + RawFrame.windowUpdate(1, 1)) == .ok)
      _ = side.output()
    }
  }

  @Test("a backend that sends a few frames more with each answer is no flood, however many there are")
  func busyBackend() throws {
    let side = HTTP2Side.egress()
    side.receive(RawFrame.settings() + RawFrame.settingsAck)
    for _ in 0..<(2 * Limits.http2IdleFrames) {
      let stream = try #require(side.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
      _ = side.output()
      let answer = RawFrame.headers(stream, [(":status", "204")])
      #expect(side.receive(RawFrame.windowUpdate(0, 1) + RawFrame.ping + answer) == .ok)
    }
  }

  @Test(
    "answers to pings and settings that are never read do not pile up", arguments: [RawFrame.ping, RawFrame.settings()])
  func queuedAcks(frame: [UInt8]) {
    let side = HTTP2Side.greeted()
    let rounds = timesUntilEnd(side, limit: 1000, takingOutput: false) { _ in frame }
    #expect((rounds ?? 1000) <= Limits.http2QueuedAcks + 1)
    #expect(side.goAwayCode() == calm)
  }

  @Test("a list of fields in ever more CONTINUATION frames ends the connection")
  func continuations() {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.begunHeaders(1, RawFrame.block(RawFrame.pseudo())))
    let rounds = timesUntilEnd(side, limit: 100) { _ in RawFrame.continuation(1, RawFrame.block([("a", "b")])) }
    #expect((rounds ?? 100) <= Limits.http2Continuations)
    #expect(side.events().isEmpty)
  }

  @Test("a list that comes out of compression at many times its size ends the connection")
  func compressionBomb() {
    let side = HTTP2Side.greeted()
    let large = String(repeating: "x", count: 3900)
    // One field that is kept in the table, and then the same a thousand times in a byte each.
    let kept: [UInt8] = [0x40, 1, UInt8(ascii: "a")] + [127, 0xBD, 0x1D] + Array(large.utf8)
    let block = RawFrame.block(RawFrame.pseudo()) + kept + Array(repeating: 0xBE, count: 1000)
    let verdict = side.receive(RawFrame.begunHeaders(1, block, endsList: true))
    #expect(verdict == .end(.headerListTooLarge))
    #expect(side.goAwayCode() == calm)
    #expect(side.events().isEmpty)
  }

  @Test("a table for compression grows no larger than its limit")
  func compressionTable() {
    let side = HTTP2Side.greeted()
    // A dynamic table size update to 2^16 (RFC 7541 section 6.3).
    let block: [UInt8] = [0x3F, 0xE1, 0xFF, 0x03] + RawFrame.block(RawFrame.pseudo())
    side.receive(RawFrame.begunHeaders(1, block, endsList: true))
    #expect(side.goAwayCode() == HTTP2ErrorCode.compressionError.rawValue)
    #expect(side.machine.isDone)
  }

  @Test(
    "window updates of nothing or beyond the window end the stream or the connection",
    arguments: [(Int32(0), UInt32(0), true), (0, UInt32(Int32.max), true), (1, 0, true), (1, UInt32(Int32.max), false)])
  func windowUpdates(stream: Int32, count: UInt32, endsConnection: Bool) {
    let side = HTTP2Side.greeted()
    side.receive(RawFrame.get(1))
    side.receive(RawFrame.windowUpdate(stream, count))
    let frames = RawFrame.all(side.output())
    #expect(frames.contains { $0.type == 7 } == endsConnection)
    #expect(frames.contains { $0.type == 3 && $0.stream == 1 } == !endsConnection)
  }

  @Test("data beyond the window of a stream or of the connection is an error")
  func windowOverrun() {
    let side = HTTP2Side.greeted()
    side.owner.creditsAtOnce = false
    side.receive(RawFrame.get(1, ends: false))
    let part = String(repeating: "x", count: 16_384)
    for _ in 0..<5 { side.receive(RawFrame.data(1, part)) }
    #expect(side.resets()[1] == HTTP2ErrorCode.flowControlError.rawValue)
  }

  @Test("a client whose window stays shut makes its streams wait, and nothing else")
  func shutWindow() {
    let side = HTTP2Side(ingress: Limits.requestHead)
    side.receive(Array(RawFrame.preface.dropLast(9)) + RawFrame.settings([(4, 0)]) + RawFrame.settingsAck)
    _ = side.output()
    side.receive(RawFrame.get(1))
    side.owner.bodies[HTTP2StreamID(1)] = .init(bytes: [1, 2, 3])
    side.respond(1, "HTTP/1.1 200 OK\r\n\r\n", endsStream: false)
    #expect(RawFrame.all(side.output()).map(\.type) == [1])
    #expect(!side.machine.hasOutput)
    side.receive(RawFrame.windowUpdate(1, 2))
    #expect(RawFrame.all(side.output()).map(\.payload) == [[1, 2]])
  }

  @Test("what is announced: streams, head size, no tree of priorities, the connection's window")
  func announced() throws {
    let frames = RawFrame.all(HTTP2Side(ingress: 20_000).output())
    let settings = try #require(frames.first { $0.type == 4 })
    var values: [UInt8: UInt32] = [:]
    for entry in 0..<settings.payload.count / 6 {
      values[settings.payload[entry * 6 + 1]] = settings.number(at: entry * 6 + 2)
    }
    #expect(values == [3: 128, 6: 20_000, 9: 1])
    let update = try #require(frames.first { $0.type == 8 })
    #expect(update.stream == 0)
    #expect(update.number(at: 0) == UInt32(Limits.http2ConnectionWindow - 65_535))
  }

  @Test(
    "what is no HTTP/2 ends at once",
    arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"])
  func preface(text: String) {
    let side = HTTP2Side(ingress: Limits.requestHead)
    #expect(side.receive(Array(text.utf8)) == .end(.badPreface))
  }
}
