import GatewayIO

/// A small HTTP/2 backend on loopback, without TLS (prior knowledge, RFC 9113 section 3.3), that answers by a script.
package final class HTTP2Backend: Sendable {
  /// Serves one connection, on a thread of its own; it ends where the script returns or throws.
  package typealias Script = @Sendable (HTTP2BackendConnection) throws -> Void

  struct Seen: Sendable {
    var accepted = 0
    var open = 0
    var resets: [UInt32] = []
    var faults: [String] = []
  }

  package let port: UInt16
  private let acceptor: Acceptor
  private let seen: Monitor<Seen>

  /// - Parameters:
  ///   - settings: what its connections announce.
  ///   - script: serves each connection; without one every request is echoed.
  package init(
    settings: [(id: UInt16, value: UInt32)] = [],
    _ script: @escaping Script = { while true { try $0.echo($0.nextRequest()) } }
  ) throws {
    let (listener, port) = try Loopback.listen()
    self.port = port
    let seen = Monitor(Seen())
    self.seen = seen
    acceptor = Acceptor(listener, name: "test-backend-h2") { socket in
      seen.change { seen in
        seen.accepted += 1
        seen.open += 1
      }
      Thread.start(name: "test-backend-h2-connection") { Self.serve(socket, settings, seen, script) }
    }
  }

  private static func serve(
    _ socket: StreamSocket, _ settings: [(id: UInt16, value: UInt32)], _ seen: Monitor<Seen>, _ script: Script
  ) {
    do {
      try script(HTTP2BackendConnection(socket, settings, seen))
    } catch is PeerClosed {
      // The gateway closed it, which is for the test to judge.
    } catch is StreamReset {
      // The same for a stream that the script waited on.
    } catch {
      seen.change { $0.faults.append("\(error)") }
    }
    socket.close()
    seen.change { $0.open -= 1 }
  }

  /// Refuses new connections from now on; open ones stay.
  package func stop() { acceptor.stop() }

  /// Connections accepted so far.
  package var accepted: Int { seen.current.accepted }

  /// Waits until `count` connections are open.
  package func waitForOpen(_ count: Int, seconds: Double = Patience.seconds) -> Bool {
    seen.wait(seconds: seconds) { $0.open == count ? true : nil } ?? false
  }

  /// What a script or a peer that does not speak HTTP/2 complained of.
  package var faults: [String] { seen.current.faults }

  /// Waits until a stream of the gateway's was reset by it, and returns the code.
  package func waitForReset(seconds: Double = Patience.seconds) -> UInt32? {
    seen.wait(seconds: seconds) { $0.resets.first }
  }
}

/// One connection of a backend, as its script sees it.
package final class HTTP2BackendConnection {
  package let session: HTTP2Session
  private let seen: Monitor<HTTP2Backend.Seen>

  init(_ socket: StreamSocket, _ settings: [(id: UInt16, value: UInt32)], _ seen: Monitor<HTTP2Backend.Seen>) throws {
    self.seen = seen
    session = try HTTP2Session(backend: socket, settings: settings, seconds: 600)
  }

  /// A request whose head has come.
  package struct Request {
    package let stream: Int32
    /// With the pseudo-fields.
    package let fields: HTTPFields
  }

  /// Waits for the head of the next request.
  package func nextRequest() throws -> Request {
    while session.opened.isEmpty { try session.step() }
    let stream = session.opened.removeFirst()
    while session.streams[stream]?.heads.isEmpty ?? true { try session.step() }
    return Request(stream: stream, fields: HTTPFields(session.streams[stream]?.heads.first ?? []))
  }

  /// The rest of a request's body.
  package func readBody(_ request: Request) throws -> [UInt8] {
    var body: [UInt8] = []
    while case let piece = try session.bodyPiece(of: request.stream), !piece.isEmpty { body += piece }
    return body
  }

  /// Waits until the gateway resets the request, and lets the backend's `waitForReset` know.
  package func waitForReset(of request: Request) throws {
    let code = try session.resetCode(of: request.stream)
    seen.change { $0.resets.append(code) }
  }

  package func sendHead(
    _ request: Request, _ status: Int = 200, _ fields: [(name: String, value: String)] = [], ends: Bool = false
  ) throws {
    try session.send(HTTP2Frame.blocks(request.stream, [(":status", "\(status)")] + fields, ends: ends))
  }

  package func sendData(_ request: Request, _ bytes: [UInt8], ends: Bool = false) throws {
    try session.sendData(request.stream, bytes, ends: ends)
  }

  package func sendTrailers(_ request: Request, _ fields: [(name: String, value: String)]) throws {
    try session.send(HTTP2Frame.blocks(request.stream, fields, ends: true))
  }

  /// Answers with what came: `{"fields":[[name,value]…],"body"}`, pseudo-fields among them.
  package func echo(_ request: Request) throws {
    let body = try readBody(request)
    let lines = request.fields.lines.map { JSON.array([.string($0.name), .string($0.value)]) }
    let seen: JSON = ["fields": .array(lines), "body": .string(String(decoding: body, as: UTF8.self))]
    let isHead = request.fields[":method"] == "HEAD"
    try sendHead(
      request, 200, [("content-type", "application/json"), ("content-length", "\(seen.bytes.count)")], ends: isHead)
    if !isHead { try sendData(request, seen.bytes, ends: true) }
  }
}
