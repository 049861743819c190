import GatewayBase
import GatewayIO

/// A small HTTP/1.1 backend on loopback that records every byte it gets and answers by a script.
package final class ScriptedBackend: Sendable {
  /// Answers one request. It runs on the connection's own thread; an error that it throws ends the connection.
  package typealias Script = @Sendable (BackendExchange) throws -> Void

  /// What a backend saw of one request.
  package struct Request: Sendable {
    package let method: String
    package let target: String
    package let fields: HTTPFields
    /// The head as it came.
    package let head: [UInt8]
    /// The body as far as the script read it.
    package internal(set) var body: [UInt8] = []
    /// Whether the script read the body to its end.
    package internal(set) var isComplete = false
    /// Which connection it came on, counted from 0, and as which of its requests.
    package let connection: Int
    package let position: Int
  }

  struct Seen: Sendable {
    var requests: [Request] = []
    var bytes = SearchableBytes()
    var accepted = 0
    var open = 0
    var faults: [String] = []
  }

  /// Where it listens; 0 for a Unix socket.
  package let port: UInt16
  let seen = Monitor(Seen())
  private let acceptor: Acceptor
  private let sockets: Locked<[StreamSocket]>

  /// - Parameters:
  ///   - port: an earlier backend's, so that this one takes its place; 0 for one that the kernel picks.
  ///   - script: answers each request; without one every request is echoed as JSON.
  package convenience init(port: UInt16 = 0, _ script: @escaping Script = { try $0.echo() }) throws {
    let (listener, port) = try Loopback.listen(port: port)
    self.init(listener: listener, port: port, script)
  }

  /// A backend on a Unix socket.
  package convenience init(unixPath: String, _ script: @escaping Script = { try $0.echo() }) throws {
    self.init(listener: try Loopback.listen(unixPath: unixPath), port: 0, script)
  }

  private init(listener: Int32, port: UInt16, _ script: @escaping Script) {
    self.port = port
    let sockets = Locked<[StreamSocket]>([])
    self.sockets = sockets
    acceptor = Acceptor(listener, name: "test-backend") { [seen] socket in
      let number = seen.change { seen -> Int in
        defer { seen.accepted += 1 }
        seen.open += 1
        return seen.accepted
      }
      sockets.withLock { $0.append(socket) }
      let connection = BackendConnection(socket, number: number, seen: seen)
      Thread.start(name: "test-backend-\(number)") { connection.serve(script) }
    }
  }

  /// Refuses new connections from now on; open ones stay.
  package func stop() { acceptor.stop() }

  /// Goes away as a process that dies: no connection is left, and none is taken.
  package func kill() {
    stop()
    for socket in sockets.withLock({ $0 }) { socket.cut() }
  }

  /// Everything so far, in the order in which heads were complete.
  package var requests: [Request] { seen.current.requests }

  /// Connections accepted so far.
  package var accepted: Int { seen.current.accepted }

  /// Connections that are open now.
  package var open: Int { seen.current.open }

  /// What the script or a request that could not be read complained of.
  package var faults: [String] { seen.current.faults }

  /// Whether what connections brought spells `text` anywhere, apart from what is deep inside large bodies.
  package func received(_ text: String) -> Bool { seen.change { $0.bytes.contain(text) } }

  /// Waits for a request that `isWanted` accepts.
  package func waitForRequest(seconds: Double = Patience.seconds, _ isWanted: (Request) -> Bool = { _ in true })
    -> Request?
  {
    seen.wait(seconds: seconds) { $0.requests.first(where: isWanted) }
  }

  /// Waits until `count` connections are open.
  package func waitForOpen(_ count: Int, seconds: Double = Patience.seconds) -> Bool {
    seen.wait(seconds: seconds) { $0.open == count ? true : nil } ?? false
  }
}

extension ScriptedBackend {
  /// One that echoes, but requests of a target only once a gate is open.
  package static func echoing(holding target: String, until gate: Gate) throws -> ScriptedBackend {
    try ScriptedBackend { exchange in
      if exchange.request.target == target { try gate.pass() }
      try exchange.echo()
    }
  }
}
