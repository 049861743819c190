import GatewayBase
import GatewayHTTP
import GatewayIO
import Testing

@testable import GatewayProxy

@Suite struct BodyReaderTests {
  @Test("A body of a length ends with its last byte, however it is cut")
  func length() {
    var reader = BodyReader(.length(5))
    #expect(reader.next("abc") == .data(skip: 0, count: 3))
    #expect(reader.remaining == 2)
    #expect(reader.next("") == .needMore(consumed: 0))
    #expect(reader.next("defg") == .data(skip: 0, count: 2))
    #expect(reader.isComplete)
    #expect(reader.next("g") == .complete(consumed: 0))
  }

  @Test("A transparent body counts what was passed on, and its share of what is there")
  func transparent() {
    var reader = BodyReader(.length(10))
    #expect(reader.isTransparent)
    #expect(reader.share(of: 4) == 4)
    reader.passed(4)
    #expect(reader.share(of: 100) == 6)
    reader.passed(6)
    #expect(reader.isComplete)
    #expect(reader.share(of: 100) == 0)
  }

  @Test("No body and a length of 0 are complete from the start")
  func empty() {
    #expect(BodyReader(.none).isComplete)
    #expect(BodyReader(.length(0)).isComplete)
    #expect(BodyReader(.none).remaining == 0)
  }

  @Test("A chunked body is complete behind its last chunk, and says where the next message begins")
  func chunked() {
    var reader = BodyReader(.chunked)
    #expect(!reader.isTransparent)
    #expect(reader.remaining == nil)
    #expect(reader.next("3\r\nabc\r\n0\r\n\r\nGET") == .data(skip: 3, count: 3))
    #expect(reader.next("\r\n0\r\n\r\nGET") == .complete(consumed: 7))
    #expect(reader.isComplete)
    var malformed = BodyReader(.chunked)
    #expect(malformed.next("x\r\n") == .malformed)
  }

  @Test("Only a body up to the connection's end is whole when that comes")
  func connectionEnd() {
    var untilClose = BodyReader(.untilClose)
    #expect(untilClose.share(of: 7) == 7)
    #expect(untilClose.next("abc") == .data(skip: 0, count: 3))
    #expect(untilClose.endsWithConnection)
    let whole = untilClose.connectionEnded()
    #expect(whole)
    for framing in [BodyFraming.length(3), .chunked] {
      var reader = BodyReader(framing)
      let isWhole = reader.connectionEnded()
      #expect(!isWhole)
    }
  }
}

extension BodyReader {
  fileprivate mutating func next(_ text: String) -> Step { next(Array(text.utf8).span) }
}

@Suite struct RetryRuleTests {
  @Test(
    "GW-71 a request is sent again only where that can't do harm",
    arguments: [
      (HTTPMethod.get, 100, true, true), (.put, 100, true, true), (.delete, 100, true, true), (.post, 100, true, false),
      (.patch, 100, true, false), (.other, 100, true, false), (.post, 0, true, true), (.get, 100, false, false),
    ] as [(HTTPMethod, UInt64, Bool, Bool)])
  func rule(method: HTTPMethod, sent: UInt64, onReused: Bool, isRetried: Bool) {
    var rule = RetryRule(retriesLeft: 1, sentBytes: sent)
    #expect(rule.mayRetry(method: method, onReused: onReused) == isRetried)
  }

  @Test("Not without a retry left, not after a byte of an answer, not without all that was sent")
  func never() {
    var none = RetryRule(retriesLeft: 0, sentBytes: 10)
    #expect(none.mayRetry(method: .get, onReused: true) == false)
    var answered = RetryRule(retriesLeft: 1, sentBytes: 10, sawAnswer: true)
    #expect(answered.mayRetry(method: .get, onReused: true) == false)
    var streamed = RetryRule(retriesLeft: 1, isReplayable: false, sentBytes: 10)
    #expect(streamed.mayRetry(method: .put, onReused: true) == false)
    var unsent = RetryRule(retriesLeft: 1, isReplayable: false)
    #expect(unsent.mayRetry(method: .post, onReused: true) == true)
  }

  @Test("A retry is used up, and what is sent is counted anew")
  func once() {
    var rule = RetryRule(retriesLeft: 1, sentBytes: 10)
    #expect(rule.mayRetry(method: .get, onReused: true) == true)
    #expect(rule.sentBytes == 0)
    rule.sentBytes = 10
    #expect(rule.mayRetry(method: .get, onReused: true) == false)
  }
}

@Suite struct UpstreamTests {
  @Test("The connection used last is used next; one that died is not used at all")
  func pool() {
    var pool = UpstreamPool()
    let handles = (1...3).map { Handle(raw: $0) }
    for handle in handles { #expect(pool.put(handle) == true) }
    pool.remove(handles[1])
    #expect(pool.take() == handles[2])
    #expect(pool.take() == handles[0])
    #expect(pool.take() == nil)
  }

  @Test("A full pool takes no more")
  func fullPool() {
    var pool = UpstreamPool()
    for index in 1...Limits.idleUpstreams { #expect(pool.put(Handle(raw: UInt64(index))) == true) }
    #expect(pool.put(Handle(raw: 1_000)) == false)
  }

  @Test(
    "GW-70 a connection idles for less than the backend allows",
    arguments: [(0, 0), (1, 500), (5, 4_000), (60, 59_000), (300, 60_000), (UInt32.max, 60_000)] as [(UInt32, UInt64)])
  func idleLimit(timeout: UInt32, milliseconds: UInt64) {
    #expect(UpstreamPool.idleLimit(forTimeout: timeout) == milliseconds)
  }

  @Test("An address that is none of a name is never looked up")
  func literal() {
    let server = UpstreamServers().server(host: "127.0.0.1", port: 80).place
    for now in [0, 1_000_000_000] as [UInt64] {
      let (known, mustResolve) = server.addresses(now: now)
      #expect(known.map(\.description) == ["127.0.0.1:80"])
      #expect(!mustResolve)
    }
  }

  @Test("GW-75 a name is looked up again after its time, and the last good addresses serve meanwhile")
  func resolution() throws {
    let server = UpstreamServers().server(host: "name.test", port: 80).place
    let address = try #require(SocketAddress(literal: "192.0.2.1", port: 80))
    #expect(server.addresses(now: 1_000) == (known: [], mustResolve: true))
    #expect(server.addresses(now: 1_001) == (known: [], mustResolve: false))
    server.resolved([address], now: 1_002)
    #expect(server.addresses(now: 30_999) == (known: [address], mustResolve: false))
    #expect(server.addresses(now: 31_000) == (known: [address], mustResolve: true))
    server.resolved([], now: 31_100)
    #expect(server.addresses(now: 36_099) == (known: [address], mustResolve: false))
    #expect(server.addresses(now: 36_100) == (known: [address], mustResolve: true))
  }
}

@Suite struct IDTests {
  @Test("Ids are 32 lower-case hexadecimal digits and do not repeat")
  func requestIDs() {
    var generator = IDGenerator(seed: 7)
    let texts = (0..<10_000).map { _ in generator.requestID().text }
    #expect(Set(texts).count == texts.count)
    #expect(texts.allSatisfy { $0.count == 32 && $0.allSatisfy { "0123456789abcdef".contains($0) } })
    #expect(RequestID(high: 0x0123_4567_89AB_CDEF, low: 1).text == "0123456789abcdef0000000000000001")
  }

  @Test(
    "Dates are written as HTTP has them",
    arguments: [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    ] as [(Int64, String)])
  func dates(seconds: Int64, text: String) {
    #expect(HTTPDate.text(UnixTime(seconds: seconds)) == text)
  }
}
