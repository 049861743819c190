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

  private let listener: LoopbackListener
  private let state = Locked<[Exchange]>([])

  init(_ script: @escaping Script) {
    let state = state
    listener = LoopbackListener { socket, number in Self.serve(socket, number, state, script) }
  }

  var port: UInt16 { listener.port }

  /// Ends the listener and every connection.
  func stop() { listener.stop() }

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
