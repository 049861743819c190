import GatewayBase
import GatewayTesting
import Testing

/// A word that is in one test's requests alone: what spells it at a backend came from that test.
struct Marker: Sendable, CustomStringConvertible {
  let description = "mark-\(UUIDText.random())"
}

extension Stage {
  /// Fills in `APP`, `TOK` and `MARK` of a request that is written out byte by byte, and completes its head with
  /// everything that a good request needs besides: `GOOD` stands for host, token and origin, `AUTH` for the latter two.
  func fill(_ text: String, _ marker: Marker) -> String {
    text
      .replacing("GOOD", with: "Host: APP\r\nAUTH")
      .replacing("AUTH", with: "Authorization: Bearer TOK\r\nX-Speed-Request-From: app\r\nX-Mark: MARK")
      .replacing("APP", with: App.alpha.host)
      .replacing("TOK", with: bearer)
      .replacing("MARK", with: "\(marker)")
  }

  /// Sends bytes that must be refused: with one of `statuses`, as the last answer of the connection, and without a
  /// byte at the backend.
  func expectRefusal(_ text: String, _ statuses: Int..., location: SourceLocation = #_sourceLocation) throws {
    let marker = Marker()
    let connection = try gateway.connect()
    defer { connection.close() }
    try connection.send(fill(text, marker))
    let answer = try connection.receiveAnswer()
    #expect(statuses.contains(answer.status), sourceLocation: location)
    #expect(answer.errorCode != nil, "an answer of the gateway", sourceLocation: location)
    #expect(answer.fields["X-Speed-Error"] == answer.errorCode, sourceLocation: location)
    #expect(answer.fields["X-Request-Id"] != nil, sourceLocation: location)
    if WireKind.current.isHTTP1 { #expect(answer.fields["Connection"] == "close", sourceLocation: location) }
    #expect(try connection.receiveToEnd() == [], "nothing follows it", sourceLocation: location)
    #expect(!backend.received("\(marker)"), "no byte at the backend", sourceLocation: location)
  }

  /// Sends bytes whose framing goes wrong after the head: 400, and the backend never sees the request complete.
  func expectBrokenBody(_ text: String, location: SourceLocation = #_sourceLocation) throws {
    let marker = Marker()
    let connection = try gateway.connect()
    defer { connection.close() }
    try connection.send(fill(text, marker))
    let answer = try connection.receiveAnswer()
    #expect(answer.status == 400, sourceLocation: location)
    #expect(try connection.receiveToEnd() == [], "nothing follows it", sourceLocation: location)
    let seen = backend.requests.filter { $0.fields["X-Mark"] == "\(marker)" }
    #expect(seen.allSatisfy { !$0.isComplete }, "the backend must not act on it", sourceLocation: location)
    #expect(seen.count <= 1, sourceLocation: location)
  }

  /// Sends bytes that must be forwarded, and returns what the backend saw.
  func expectForwarded(_ text: String, location: SourceLocation = #_sourceLocation) throws -> Forwarded {
    let marker = Marker()
    let connection = try gateway.connect()
    defer { connection.close() }
    try connection.send(fill(text, marker))
    let answer = try connection.receiveAnswer()
    #expect(answer.status == 200, sourceLocation: location)
    guard answer.status == 200 else { throw TestFailure("not forwarded: \(answer.status) \(answer.errorCode ?? "")") }
    let json = try answer.json()
    return Forwarded(
      method: json["method"].string ?? "", target: json["target"].string ?? "", fields: try answer.echoedFields(),
      body: json["body"].string ?? "")
  }
}

/// A request as the echoing backend saw it.
struct Forwarded {
  let method: String
  let target: String
  let fields: HTTPFields
  let body: String
}
