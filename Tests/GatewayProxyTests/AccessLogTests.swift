import GatewayBase
import GatewayIO
import GatewayTesting
import Testing

@testable import GatewayProxy

@Suite struct AccessLogDecisionTests {
  private func log(_ selection: AccessLog.Selection) throws -> AccessLog {
    AccessLog(lines: try LineLog(to: .file("/dev/null"), threads: 1), selection: selection)
  }

  @Test("With all of them selected every exchange has a line")
  func all() throws {
    let log = try log(.all)
    for status: UInt16 in [0, 200, 404, 500] { #expect(log.takes(status: status, turn: 1)) }
  }

  @Test("Of sampled ones every nth has a line, and each that failed here or had no answer")
  func sampled() throws {
    let log = try log(.sampled(oneIn: 10))
    #expect((1...100).filter { log.takes(status: 200, turn: $0) } == (1...10).map { $0 * 10 })
    #expect(!log.takes(status: 401, turn: 1) && !log.takes(status: 499, turn: 1))
    #expect(log.takes(status: 500, turn: 1) && log.takes(status: 504, turn: 1) && log.takes(status: 0, turn: 1))
  }
}

@Suite struct LoggedTextTests {
  private func logged(_ text: [UInt8], limit: Int = 100) -> String {
    let blocks = BlockPool(kept: 1)
    var block = blocks.take()
    block.append("before")
    block.append(logged: text.span, limit: limit)
    let bytes = block.bytes.indices.map { block.bytes[$0] }
    blocks.give(block)
    return String(decoding: bytes.dropFirst(6), as: UTF8.self)
  }

  @Test("What is plain stays, escapes of a URL are not decoded")
  func plain() {
    #expect(logged(Array("/a-b_c.d~e/%0d%0aFAKE?".utf8)) == "/a-b_c.d~e/%0d%0aFAKE?")
    #expect(logged([]).isEmpty)
  }

  @Test("GW-110 controls, marks and everything else that a viewer could act on go as escapes")
  func escaped() {
    #expect(logged([0x0A, 0x0D, 0x00, 0x1F, 0x7F]) == "%0a%0d%00%1f%7f")
    #expect(logged([0x22, 0x5C]) == "%22%5c")
    // NEL as a C1 control and in UTF-8, U+2028, RIGHT-TO-LEFT OVERRIDE.
    #expect(logged([0x85]) == "%85" && logged(Array("\u{85}".utf8)) == "%c2%85")
    #expect(logged(Array("a\u{2028}\u{202E}b".utf8)) == "a%e2%80%a8%e2%80%aeb")
    for byte in UInt8.min...UInt8.max {
      #expect(logged([byte]).utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
    }
  }

  @Test("GW-110 an escape is written wherever in a text it is due")
  func everywhere() {
    let escaped: [UInt8] = [0x1F, 0x22, 0x5C, 0x7F, 0x80]
    for position in 0..<40 {
      for byte in escaped {
        var text = [UInt8](repeating: 0x78, count: 40)
        text[position] = byte
        let (before, after) = (String(repeating: "x", count: position), String(repeating: "x", count: 39 - position))
        #expect(logged(text) == "\(before)%\(Hex.encode([byte]))\(after)")
      }
    }
  }

  @Test("A long text is cut, and says so; no escape is cut in two")
  func cut() {
    let long = logged(Array(repeating: UInt8(ascii: "x"), count: 200), limit: 10)
    #expect(long == "xxxxxxxxxx...")
    for limit in 0..<12 {
      let text = logged([0x61] + Array(repeating: 0x0A, count: 5), limit: limit)
      #expect(text.utf8.count <= limit + 3)
      #expect(text.hasSuffix("...") && text.dropLast(3).utf8.count { $0 == UInt8(ascii: "%") } * 3 <= limit)
    }
    #expect(logged(Array("exactly".utf8), limit: 7) == "exactly")
  }

  @Test("The time has milliseconds, within one second as well as in the next")
  func time() {
    var clock = TimeText()
    let blocks = BlockPool(kept: 1)
    func text(_ milliseconds: Int64) -> String {
      var block = blocks.take()
      clock.append(UnixTime(milliseconds: milliseconds), to: &block)
      let bytes = block.bytes.indices.map { block.bytes[$0] }
      blocks.give(block)
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(text(0) == "1970-01-01T00:00:00.000Z")
    #expect(text(7) == "1970-01-01T00:00:00.007Z")
    #expect(text(999) == "1970-01-01T00:00:00.999Z")
    #expect(text(1_796_634_600_120) == "2026-12-07T09:10:00.120Z")
  }
}

/// Lines of exchanges through real workers.
@Suite(.serialized) struct AccessLogTests {
  private let folder: TemporaryFolder
  private let log: AccessLog

  init() throws {
    folder = try TemporaryFolder()
    let lines = try LineLog(to: .file(folder.path("log")), threads: 1, interval: 5)
    log = AccessLog(lines: lines, selection: .all)
  }

  private func proxy(_ backends: [ScriptedBackend], _ configure: (inout ProxyFixture.Options) -> Void = { _ in }) throws
    -> ProxyFixture
  {
    try ProxyFixture(backends) {
      $0.access = log
      configure(&$0)
    }
  }

  /// Waits for so many lines, each of which must be JSON.
  private func lines(_ count: Int) throws -> [JSON] {
    #expect(try eventually { try folder.read("log").utf8.count { $0 == UInt8(ascii: "\n") } >= count })
    return try folder.read("log").split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
  }

  @Test("A line tells all of a request that was forwarded, and nothing that is secret")
  func forwarded() throws {
    let backend = try ScriptedBackend()
    let proxy = try proxy([backend])
    let trace = "0af7651916cd43dd8448eb211c80319c"
    let answer = try proxy.exchange(
      HTTPRequest.post("/private/./a%41?code=QUERYSECRET", body: Array("12345".utf8)).signedIn()
        .adding("Cookie", "COOKIESECRET").adding("traceparent", "00-\(trace)-b7ad6b7169203331-01"))
    #expect(answer.status == 200)
    let line = try lines(1)[0]
    #expect(line["message"].string == "request")
    #expect(line["requestId"].string == answer.fields["X-Request-Id"])
    #expect(line["method"].string == "POST" && line["path"].string == "/private/aA")
    #expect(line["app"].integer == 7 && line["route"].string == "/private/" && line["status"].integer == 200)
    #expect(line["protocol"].string == "HTTP/1.1" && line["client"].string == "127.0.0.1")
    #expect(line["user"].string == "user-1" && line["trace"].string == trace)
    #expect(line["backend"].string == "main" && line["upstream"].string == "http://127.0.0.1:\(backend.port)")
    #expect(line["retries"].integer == nil)
    #expect(try #require(line["bytesIn"].integer) > 200 && #require(line["bytesOut"].integer) > 100)
    let text = try folder.read("log")
    for secret in ["QUERYSECRET", "COOKIESECRET", StubAuthority.goodToken] { #expect(!text.contains(secret)) }
    #expect(text.contains(#/"durationMs":\d+\.\d{3},/#) && text.contains(#/"upstreamMs":\d+\.\d{3}[,}]/#))
    #expect(text.contains(#/^\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",/#))
  }

  @Test("A refusal's line has its code, and what was known when it was refused")
  func refused() throws {
    let proxy = try proxy([try ScriptedBackend()])
    let id = try proxy.exchange(.get("/private/x")).fields["X-Request-Id"]
    #expect(try proxy.exchange(HTTPRequest("GET", "/y", host: "nobody.test")).status == 421)
    let connection = try proxy.connect()
    try connection.send("GET /%zz HTTP/1.1\r\nHost: app.test\r\n\r\n")
    #expect(try connection.receiveAnswer().status == 400)
    try connection.send("nonsense\r\n\r\n")
    let lines = try lines(3)
    #expect(lines[0]["code"].string == "missing_token" && lines[0]["status"].integer == 401)
    #expect(lines[0]["route"].string == "/private/" && lines[0]["path"].string == "/private/x")
    #expect(
      lines[0]["requestId"].string == id && lines[0]["trace"].string == nil && lines[0]["upstream"].string == nil
        && lines[0]["user"].string == nil)
    #expect(lines[1]["code"].string == "unknown_host" && lines[1]["path"].string == "/y")
    #expect(lines[1]["app"].integer == nil)
    // A target that has no canonical form is not shown in another one.
    #expect(lines[2]["code"].string == "bad_request" && lines[2]["path"].string == nil)
  }

  @Test("GW-110 what a path holds in escapes stays in escapes, on one line")
  func escapes() throws {
    let proxy = try proxy([try ScriptedBackend()])
    for path in ["/%0d%0aFAKE", "/%c2%85", "/%e2%80%a8%e2%80%ae", "/%1b%5b"] {
      #expect(try proxy.exchange(.get(path)).status == 200)
    }
    #expect(
      try lines(4).map { $0["path"].string?.lowercased() } == [
        "/%0d%0afake", "/%c2%85", "/%e2%80%a8%e2%80%ae", "/%1b%5b",
      ])
  }

  @Test("An exchange that ends without its answer has a line too, and leaves nothing behind")
  func aborted() async throws {
    let gate = Gate()
    let backend = try ScriptedBackend { _ in try gate.pass() }
    let proxy = try proxy([backend])
    let connection = try proxy.connect()
    try connection.send(HTTPRequest.get("/gone").bytes)
    #expect(backend.waitForRequest() != nil)
    connection.reset()
    let line = try lines(1)[0]
    #expect(line["path"].string == "/gone" && line["status"].integer == 0)
    #expect(try folder.read("log").contains("\"aborted\":true"))
    gate.open()
    #expect(await proxy.workers.holdings().notes == 0)
  }

  @Test("A retried request's line says so, and the slots of ended exchanges are used again")
  func retried() async throws {
    let backend = try ScriptedBackend { exchange in
      // The second request of a connection finds it dead.
      if exchange.request.position > 0 { throw PeerClosed() }
      try exchange.echo()
    }
    let proxy = try proxy([backend])
    for _ in 0..<3 { #expect(try proxy.exchange(.get()).status == 200) }
    #expect(try lines(3).map { $0["retries"].integer } == [nil, 1, 1])
    #expect(await proxy.workers.holdings().notes == 0)
  }
}
