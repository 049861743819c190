import GatewayBase
import GatewayIO
import Glibc

/// A small HTTP/1.1 peer on 127.0.0.1 that records what comes and answers by a script.
final class LoopbackServer: Sendable {
  struct Exchange: Sendable {
    /// Counts from 1.
    let connection: Int
    let request: String
  }

  /// What to send for a request; nil sends nothing and keeps the connection open.
  typealias Script = @Sendable (Exchange) -> String?

  let port: UInt16
  private let listener: Int32
  private let state = Locked<[Exchange]>([])
  private let open = Locked<[Int32]>([])

  init(_ script: @escaping Script) {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        precondition(unsafe bind(listener, generic, length) == 0)
        precondition(listen(listener, 16) == 0)
        precondition(unsafe getsockname(listener, generic, &length) == 0)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    let (state, open) = (state, open)
    Thread.start(name: "loopback") {
      var connection = 0
      while case let socket = accept(listener, nil, nil), socket >= 0 {
        connection += 1
        open.withLock { $0.append(socket) }
        let number = connection
        Thread.start(name: "loopback") { Self.serve(socket, number, state, script) }
      }
    }
  }

  deinit { stop() }

  /// Ends the listener and every connection.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    let sockets = open.withLock { sockets in
      defer { sockets = [] }
      return sockets
    }
    for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  var exchanges: [Exchange] { state.withLock { $0 } }

  func url(_ target: String) throws -> ServiceURL { try ServiceURL("http://127.0.0.1:\(port)\(target)") }

  private static func serve(_ socket: Int32, _ number: Int, _ state: Locked<[Exchange]>, _ script: Script) {
    var pending: [UInt8] = []
    while let request = receive(socket, &pending) {
      let exchange = Exchange(connection: number, request: String(decoding: request, as: UTF8.self))
      state.withLock { $0.append(exchange) }
      if let answer = script(exchange) {
        let bytes = Array(answer.utf8)
        guard unsafe send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { break }
        if answer.contains("Connection: close") { break }
      }
    }
    shutdown(socket, Int32(SHUT_RDWR))
  }

  /// A head with the body that its `Content-Length` announces; nil at the end of the connection.
  private static func receive(_ socket: Int32, _ pending: inout [UInt8]) -> [UInt8]? {
    while true {
      if let count = wholeRequest(pending) {
        defer { pending.removeFirst(count) }
        return Array(pending.prefix(count))
      }
      var block = [UInt8](repeating: 0, count: 4096)
      let count = unsafe recv(socket, &block, block.count, 0)
      guard count > 0 else { return nil }
      pending += block.prefix(count)
    }
  }

  private static func wholeRequest(_ bytes: [UInt8]) -> Int? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
    let head = text[..<end.upperBound]
    let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
      .flatMap { Int($0.dropFirst("Content-Length: ".count)) }
    let whole = head.utf8.count + (length ?? 0)
    return bytes.count >= whole ? whole : nil
  }
}

/// A whole answer with a length.
func answer(_ status: String = "200 OK", _ body: String = "", _ fields: String = "") -> String {
  "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
}
