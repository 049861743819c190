/// HTTP/2 for clients that speak HTTP/1.1: each request that is written becomes a stream, and the answers come back in
/// the form of HTTP/1.1, in the order of the requests.
///
/// What ends a connection of HTTP/1.1 ends a stream here. So a refusal of the gateway's is followed by the end of the
/// bytes, and an answer after a GOAWAY says `connection: close`.
package final class HTTP2Wire: TestWire {
  private let session: HTTP2Session
  private var requests = WrittenRequests()
  /// Streams whose answers are not read to their end, in order.
  private var pending: [PendingAnswer] = []
  /// The stream of the request that is being written.
  private var current: Int32?
  /// Whether the last answer was a refusal of the gateway's.
  private var wasRefused = false

  /// - Parameter wire: agreed on HTTP/2.
  package init(_ wire: any TestWire, seconds: Double = Patience.seconds) throws {
    session = try HTTP2Session(client: wire, seconds: seconds)
  }

  package func send(_ bytes: [UInt8], deadline: Deadline) throws {
    requests.append(bytes)
    while let part = try requests.next() {
      switch part {
      case .head(let fields, let method, let ends):
        let stream = session.openStream()
        try session.send(HTTP2Frame.blocks(stream, fields, ends: ends))
        pending.append(PendingAnswer(stream, toHead: method == "HEAD"))
        current = ends ? nil : stream
      case .data(let bytes, let ends):
        if let current { try session.sendData(current, bytes, ends: ends) }
        if ends { current = nil }
      case .trailers(let fields):
        if let current { try session.send(HTTP2Frame.blocks(current, fields, ends: true)) }
        current = nil
      }
    }
  }

  package func receive(deadline: Deadline) throws -> [UInt8] {
    // What is no whole head would wait for ever: it has no form here.
    guard !requests.isInsideHead else { throw NotOnThisWire() }
    while true {
      if let bytes = try nextPiece() { return bytes }
      if pending.isEmpty, wasRefused { return [] }
      do { try session.step(deadline: deadline) } catch is PeerClosed where pending.isEmpty { return [] }
    }
  }

  /// What has come of the first pending answer, and nothing of a later one before it is complete.
  private func nextPiece() throws -> [UInt8]? {
    while let first = pending.first, let stream = session.streams[first.stream] {
      let bytes = pending[0].take(stream, isLast: session.peerIsLeaving)
      session.streams[first.stream]?.body = []
      if pending[0].isComplete { wasRefused = pending.removeFirst().isRefusal }
      if !bytes.isEmpty { return bytes }
      guard pending.first?.stream != first.stream else {
        if stream.reset != nil { throw PeerClosed() }
        return nil
      }
    }
    return nil
  }

  package func finishSending() {
    if let current { _ = try? session.sendData(current, [], ends: true) } else { session.finishSending() }
    current = nil
  }

  package func close() { session.close() }
  package func reset() { session.reset() }
}

/// An answer on its way into the form of HTTP/1.1.
private struct PendingAnswer {
  let stream: Int32
  private let toHead: Bool
  private var headsWritten = 0
  private var isChunked = false
  private var hasFinalHead = false
  private(set) var isComplete = false
  private(set) var isRefusal = false

  init(_ stream: Int32, toHead: Bool) {
    self.stream = stream
    self.toHead = toHead
  }

  /// The bytes of what is new.
  mutating func take(_ state: HTTP2Session.Stream, isLast: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    while headsWritten < state.heads.count, !hasFinalHead {
      let isEnded = state.isEnded && state.body.isEmpty
      bytes += head(HTTP2Head(state.heads[headsWritten]), isEnded: isEnded, isLast: isLast)
      headsWritten += 1
    }
    guard hasFinalHead else { return bytes }
    if !state.body.isEmpty {
      bytes += isChunked ? Array("\(String(state.body.count, radix: 16))\r\n".utf8) : []
      bytes += state.body + (isChunked ? Array("\r\n".utf8) : [])
    }
    if state.isEnded {
      isComplete = true
      if isChunked { bytes += Array("0\r\n\r\n".utf8) }
    }
    return bytes
  }

  private mutating func head(_ head: HTTP2Head, isEnded: Bool, isLast: Bool) -> [UInt8] {
    var text = "HTTP/1.1 \(head.status) X\r\n"
    for field in head.fields.lines { text += "\(field.name): \(field.value)\r\n" }
    if head.status >= 200 {
      hasFinalHead = true
      isRefusal = head.fields["x-speed-error"] != nil
      if isLast { text += "connection: close\r\n" }
      let hasBody = !toHead && head.status != 204 && head.status != 304
      if hasBody, head.fields["content-length"] == nil {
        isChunked = !isEnded
        text += isEnded ? "content-length: 0\r\n" : "transfer-encoding: chunked\r\n"
      }
    }
    return Array("\(text)\r\n".utf8)
  }
}
