import GatewayBase
import GatewayHTTP
import Testing

@Suite("Connection options") struct ConnectionTests {
  @Test(
    "HTTP/1.1 stays open unless it says close, HTTP/1.0 only where it says keep-alive",
    arguments: [
      ("1.1", nil, true), ("1.1", "close", false), ("1.1", "Close", false), ("1.1", "keep-alive", true),
      ("1.1", "x, close", false), ("1.1", "closed", true), ("1.0", nil, false), ("1.0", "keep-alive", true),
      ("1.0", "Keep-Alive, close", false), ("1.0", "x", false),
    ] as [(String, String?, Bool)])
  func keepAlive(version: String, value: String?, expected: Bool) throws {
    let text = value.map { request("Connection: \($0)", version: version) } ?? request(version: version)
    #expect(try parseRequest(text).head.keepAlive == expected)
  }

  @Test("an option that is no token is 400", arguments: ["a b", "a;b", "\"close\"", "clo\u{e9}"])
  func malformed(value: String) { #expect(refusal(request("Connection: \(value)"))?.status == 400) }

  @Test("empty members are no options")
  func emptyMembers() throws { #expect(try !parseRequest(request("Connection: , ,close,")).head.keepAlive) }

  @Test("options beyond their limit are 400, so that looking for them stays cheap")
  func tooMany() {
    let fits = Array(repeating: "a", count: Limits.connectionOptions).joined(separator: ",")
    #expect(refusal(request("Connection: \(fits)")) == nil)
    #expect(refusal(request("Connection: \(fits),a"))?.status == 400)
    #expect(refusal(request("Connection: \(fits)", "Connection: a"))?.status == 400)
  }

  @Test(
    "GW-14 only a nominated websocket is an upgrade to it",
    arguments: [
      ("keep-alive, Upgrade", "WebSocket", .websocket), ("upgrade", "websocket", .websocket),
      ("upgrade", "h2c", .other),
      ("upgrade", "websocket, h2c", .other), ("upgrade", "websocket/13", .other), ("keep-alive", "websocket", .none),
    ] as [(String, String, Upgrade)])
  func upgrades(connection: String, protocols: String, expected: Upgrade) throws {
    let seen = try parseRequest(request("Connection: \(connection)", "Upgrade: \(protocols)"))
    #expect(seen.head.upgrade == expected)
    #expect(seen.forwarded == [])
  }

  @Test("GW-14 HTTP/1.0 and an absent Upgrade upgrade nothing, two Upgrade lines nothing known")
  func noUpgrade() throws {
    #expect(
      try parseRequest(request("Connection: upgrade", "Upgrade: websocket", version: "1.0")).head.upgrade
        == Upgrade.none)
    #expect(try parseRequest(request("Connection: upgrade")).head.upgrade == Upgrade.none)
    #expect(
      try parseRequest(request("Connection: upgrade", "Upgrade: websocket", "Upgrade: h2c")).head.upgrade == .other)
  }
}
