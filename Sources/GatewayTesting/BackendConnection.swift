/// One connection of a scripted backend: reads requests one after another and hands each to the script.
final class BackendConnection: Sendable {
  /// Bytes of a body that are kept for tests to look at.
  static let recordedBody = 1 << 20

  let socket: StreamSocket
  private let number: Int
  private let seen: Monitor<ScriptedBackend.Seen>

  init(_ socket: StreamSocket, number: Int, seen: Monitor<ScriptedBackend.Seen>) {
    self.socket = socket
    self.number = number
    self.seen = seen
  }

  func serve(_ script: ScriptedBackend.Script) {
    var reader = MessageReader()
    var position = 0
    do {
      while let head = try reader.head({ try receive(seconds: 600) }) {
        let (request, framing) = try parse(head, position)
        let index = seen.change { seen -> Int in
          seen.requests.append(request)
          return seen.requests.count - 1
        }
        let exchange = BackendExchange(self, request, index: index, reader: reader, framing: framing)
        try script(exchange)
        _ = try exchange.readBody()
        reader = exchange.reader
        position += 1
        if exchange.isClosing { break }
      }
    } catch is PeerClosed {
      // The gateway gave up, which is for the test to judge.
    } catch {
      seen.change { $0.faults.append("\(error)") }
    }
    socket.close()
    seen.change { $0.open -= 1 }
  }

  /// - Parameter isRecorded: whether the bytes can be searched for later: not those deep inside a large body.
  func receive(seconds: Double = Patience.seconds, isRecorded: Bool = true) throws -> [UInt8] {
    let piece = try socket.receive(deadline: Deadline(seconds: seconds))
    if isRecorded { seen.change { $0.bytes.append(piece) } }
    return piece
  }

  /// Takes note of a piece of a request's body, an empty one at its end.
  func record(_ piece: [UInt8], of index: Int) {
    seen.change { seen in
      if piece.isEmpty { seen.requests[index].isComplete = true }
      if seen.requests[index].body.count < BackendConnection.recordedBody { seen.requests[index].body += piece }
    }
  }

  /// - Throws: `TestFailure` for anything that a strict backend would refuse: the gateway must never send it.
  private func parse(_ head: [UInt8], _ position: Int) throws -> (ScriptedBackend.Request, MessageReader.Framing) {
    let lines = try HeadText.lines(head)
    let parts = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2] == "HTTP/1.1" else { throw TestFailure("not a request line of HTTP/1.1") }
    let fields = try HeadText.fields(lines.dropFirst())
    guard fields.all("Host").count == 1 else { throw TestFailure("a request without exactly one Host") }
    let request = ScriptedBackend.Request(
      method: String(parts[0]), target: String(parts[1]), fields: fields, head: head, connection: number,
      position: position)
    switch (fields.all("Content-Length"), fields.all("Transfer-Encoding")) {
    case ([], []): return (request, .none)
    case (let lengths, []) where lengths.count == 1:
      guard let length = Int(lengths[0]), length >= 0 else { throw TestFailure("a bad Content-Length") }
      return (request, .length(length))
    case ([], ["chunked"]): return (request, .chunked)
    default: throw TestFailure("a request that is framed twice")
    }
  }
}
