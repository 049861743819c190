/// One frame of a WebSocket (RFC 6455 section 5.2), whole and not fragmented.
package struct WebSocketFrame: Equatable, Sendable {
  package enum Opcode: UInt8, Sendable {
    case text = 1
    case close = 8
    case ping = 9
    case pong = 10
  }

  package let opcode: Opcode
  package let payload: [UInt8]

  package init(_ opcode: Opcode, _ payload: [UInt8]) {
    self.opcode = opcode
    self.payload = payload
  }

  package static func text(_ text: String) -> WebSocketFrame { WebSocketFrame(.text, Array(text.utf8)) }

  /// The code of a close frame; nil of another.
  package var closeCode: Int? {
    opcode == .close && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
  }

  /// - Parameter mask: what clients must mask with; nil for a server's frame.
  package func bytes(mask: [UInt8]?) -> [UInt8] {
    let flag: UInt8 = mask == nil ? 0 : 0x80
    var bytes = [0x80 | opcode.rawValue]
    switch payload.count {
    case ..<126: bytes.append(flag | UInt8(payload.count))
    case ..<65_536: bytes += [flag | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default: bytes += [flag | 127] + (0..<8).map { UInt8(payload.count >> (56 - 8 * $0) & 0xFF) }
    }
    guard let mask else { return bytes + payload }
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
  }

  /// Reads a frame.
  ///
  /// - Parameter receive: gives the next bytes, exactly so many.
  package static func read(_ receive: (Int) throws -> [UInt8]) throws -> WebSocketFrame {
    let head = try receive(2)
    guard head[0] & 0x80 != 0, let opcode = Opcode(rawValue: head[0] & 0x0F) else {
      throw TestFailure("not a whole frame")
    }
    var count = Int(head[1] & 0x7F)
    if count >= 126 { count = try receive(count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
    let mask = head[1] & 0x80 != 0 ? try receive(4) : [0, 0, 0, 0]
    return WebSocketFrame(opcode, try receive(count).enumerated().map { $1 ^ mask[$0 & 3] })
  }
}

extension LoopbackConnection {
  /// Sends a frame as a client does: masked.
  package func send(_ frame: WebSocketFrame) throws { try send(frame.bytes(mask: [0x37, 0xFA, 0x21, 0x3D])) }

  package func receiveFrame() throws -> WebSocketFrame { try WebSocketFrame.read(receiveBytes) }
}

extension BackendExchange {
  package func send(_ frame: WebSocketFrame) throws { try send(frame.bytes(mask: nil)) }

  package func receiveFrame() throws -> WebSocketFrame { try WebSocketFrame.read(receiveBytes) }

  /// Agrees to a WebSocket handshake.
  package func acceptWebSocket(_ fields: [(name: String, value: String)] = []) throws {
    var head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    head += "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    try send("\(head)\r\n")
  }
}
