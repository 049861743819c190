/// One request at a scripted backend, and the means to answer it in any way and order.
package final class BackendExchange {
  package let request: ScriptedBackend.Request
  private let connection: BackendConnection
  private let index: Int
  private(set) var reader: MessageReader
  private var framing: MessageReader.Framing
  private var bodyBytes = 0
  private(set) var isClosing = false

  init(
    _ connection: BackendConnection, _ request: ScriptedBackend.Request, index: Int, reader: MessageReader,
    framing: MessageReader.Framing
  ) {
    self.connection = connection
    self.request = request
    self.index = index
    self.reader = reader
    self.framing = framing
  }

  /// The next piece of the request's body, empty at its end.
  package func readBodyPiece() throws -> [UInt8] {
    if isClosing { return [] }
    let isRecorded = bodyBytes < BackendConnection.recordedBody
    let piece = try reader.bodyPiece(&framing) { try connection.receive(isRecorded: isRecorded) }
    bodyBytes += piece.count
    connection.record(piece, of: index)
    return piece
  }

  /// What is left of the request's body.
  package func readBody() throws -> [UInt8] {
    var body: [UInt8] = []
    while case let piece = try readBodyPiece(), !piece.isEmpty { body += piece }
    return body
  }

  /// The next `count` bytes, for what is no HTTP any more.
  package func receiveBytes(_ count: Int) throws -> [UInt8] {
    isClosing = true
    return try reader.bytes(count) { try connection.receive() }
  }

  /// Sends bytes as they are.
  package func send(_ text: String) throws { try send(Array(text.utf8)) }

  package func send(_ bytes: [UInt8]) throws { try connection.socket.send(bytes, deadline: Deadline(seconds: 60)) }

  /// Sends a whole answer with a `Content-Length`.
  package func reply(_ status: Int = 200, _ fields: [(name: String, value: String)] = [], body: [UInt8] = []) throws {
    var head = "HTTP/1.1 \(status) X\r\n"
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    if status >= 200, status != 204, status != 304 { head += "Content-Length: \(body.count)\r\n" }
    try send(Array("\(head)\r\n".utf8) + (request.method == "HEAD" ? [] : body))
  }

  /// Sends the head of a chunked answer; `sendChunk` follows, the last one empty.
  package func startChunked(_ fields: [(name: String, value: String)] = []) throws {
    var head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    try send("\(head)\r\n")
  }

  package func sendChunk(_ bytes: [UInt8]) throws {
    try send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8))
  }

  /// Answers with chunks `piece 0`, `piece 1` and so on, each once its gate is open.
  package func replyInPieces(behind gates: [Gate]) throws {
    try startChunked()
    for (index, gate) in gates.enumerated() {
      try gate.pass()
      try sendChunk(Array("piece \(index)".utf8))
    }
    try sendChunk([])
  }

  /// Answers with what came: `{"method","target","fields":[[name,value]…],"body","connection","position"}`.
  package func echo() throws {
    let body = try readBody()
    let lines = request.fields.lines.map { JSON.array([.string($0.name), .string($0.value)]) }
    let seen: JSON = [
      "method": .string(request.method), "target": .string(request.target), "fields": .array(lines),
      "body": .string(String(decoding: body.prefix(65_536), as: UTF8.self)), "bodyBytes": .integer(Int64(body.count)),
      "connection": .integer(Int64(request.connection)), "position": .integer(Int64(request.position)),
    ]
    try reply(200, [("Content-Type", "application/json")], body: seen.bytes)
  }

  /// Ends the connection after what was sent.
  package func close() {
    isClosing = true
    connection.socket.close()
  }

  /// Ends the connection with RST.
  package func reset() {
    isClosing = true
    connection.socket.reset()
  }

  /// Waits until the gateway closes this connection, whatever it still sends before.
  ///
  /// - Returns: whether it did in time.
  package func waitForClose(seconds: Double = Patience.seconds) -> Bool {
    isClosing = true
    let deadline = Deadline(seconds: seconds)
    while !deadline.isOver {
      do {
        if try connection.socket.receive(deadline: deadline).isEmpty { return true }
      } catch {
        return error is PeerClosed
      }
    }
    return false
  }
}

extension HTTPAnswer {
  /// The fields that an echoing backend saw.
  package func echoedFields() throws -> HTTPFields {
    HTTPFields(try json()["fields"].items.map { ($0[0].string ?? "", $0[1].string ?? "") })
  }
}
