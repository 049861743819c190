/// A client that sends exactly the bytes that it is given and reads answers strictly. One thread uses it.
package final class LoopbackConnection {
  private let socket: any TestWire
  private let seconds: Double
  private var reader = MessageReader()

  /// - Parameters:
  ///   - seconds: how long each call may wait.
  ///   - receiveBuffer: bytes of the kernel's receive buffer; nil is the kernel's choice.
  package convenience init(port: UInt16, seconds: Double = Patience.seconds, receiveBuffer: Int32? = nil) throws {
    self.init(try StreamSocket.connect(port: port, receiveBuffer: receiveBuffer), seconds: seconds)
  }

  /// A client on a wire that stands already.
  ///
  /// - Parameter seconds: how long each call may wait.
  package init(_ wire: any TestWire, seconds: Double = Patience.seconds) {
    socket = wire
    self.seconds = seconds
  }

  package func send(_ text: String) throws { try send(Array(text.utf8)) }

  package func send(_ bytes: [UInt8]) throws { try socket.send(bytes, deadline: Deadline(seconds: seconds)) }

  /// Sends each byte in a segment of its own.
  package func sendBytewise(_ text: String) throws {
    for byte in text.utf8 { try send([byte]) }
  }

  /// Sends as much as the peer takes and ignores that it has closed.
  package func sendIfPossible(_ bytes: [UInt8]) { try? send(bytes) }

  package func finishSending() { socket.finishSending() }

  package func close() { socket.close() }

  /// Ends the connection with RST.
  package func reset() { socket.reset() }

  /// The next answer, interim ones included.
  ///
  /// - Parameter toHead: whether it answers a HEAD request and so has no body.
  package func receiveAnswer(toHead: Bool = false) throws -> HTTPAnswer {
    var answer = try receiveHead()
    var framing = try answer.framing(toHead: toHead)
    while case let piece = try reader.bodyPiece(&framing, receive), !piece.isEmpty { answer.body += piece }
    return answer
  }

  /// The next answer's head alone; the body is then read by `receiveBodyPiece`.
  package func receiveHead() throws -> HTTPAnswer {
    guard let head = try reader.head(receive) else { throw PeerClosed() }
    let answer = try HTTPAnswer(head: head)
    framing = try answer.framing(toHead: false)
    return answer
  }

  private var framing = MessageReader.Framing.none

  /// The next piece of the body whose head came last, empty at its end.
  package func receiveBodyPiece() throws -> [UInt8] { try reader.bodyPiece(&framing, receive) }

  /// The next `count` bytes, for what is no HTTP any more.
  ///
  /// - Throws: `TestFailure` where the connection ends before.
  package func receiveBytes(_ count: Int) throws -> [UInt8] { try reader.bytes(count, receive) }

  /// Everything up to the end of the connection; a reset counts as the end.
  package func receiveToEnd() throws -> [UInt8] {
    do { return try reader.rest(receive) } catch is PeerClosed { return reader.leftover }
  }

  /// Whether the peer closes the connection without another byte.
  package func isClosed(seconds: Double = Patience.seconds) -> Bool {
    guard reader.leftover.isEmpty else { return false }
    do {
      return try socket.receive(deadline: Deadline(seconds: seconds)).isEmpty
    } catch {
      return error is PeerClosed
    }
  }

  private func receive() throws -> [UInt8] { try socket.receive(deadline: Deadline(seconds: seconds)) }
}

extension LoopbackConnection {
  /// Sends one request on a connection of its own and reads its final answer.
  package static func exchange(port: UInt16, _ request: HTTPRequest, seconds: Double = Patience.seconds) throws
    -> HTTPAnswer
  {
    let connection = try LoopbackConnection(port: port, seconds: seconds)
    defer { connection.close() }
    return try connection.exchange(request)
  }

  /// Sends one request and reads its final answer.
  package func exchange(_ request: HTTPRequest) throws -> HTTPAnswer {
    try send(request.bytes)
    while true {
      let answer = try receiveAnswer(toHead: request.method == "HEAD")
      if answer.status >= 200 { return answer }
    }
  }
}
