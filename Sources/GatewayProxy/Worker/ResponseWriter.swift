import GatewayBase
import GatewayHTTP
import GatewayIO

/// Writes the head of a backend's answer for the client: from nothing, out of what was read.
enum ResponseWriter {
  /// The block must have room for a head of `Limits.responseHead` and what is added.
  static func write(
    _ head: ResponseHead, _ bytes: Span<UInt8>, _ fields: borrowing FieldTable, id: RequestID, inChunks: Bool,
    isHTTP10: Bool, keepsConnection: Bool, to block: inout ByteBlock
  ) {
    block.append("HTTP/1.1 ")
    block.append(decimal: UInt64(head.status))
    block.append(" ")
    block.append(bytes.extracting(head.reasonRange))
    block.append("\r\n")
    var index = 0
    while index < fields.count {
      let field = fields[index]
      index += 1
      if HeaderPolicy.forwardsToClient(field) { block.append(field, of: bytes) }
    }
    if inChunks {
      block.append("Transfer-Encoding: chunked\r\n")
    } else if let length = head.declaredLength, head.status != 204 {
      // RFC 9110 section 8.6: a 204 has no length, and some clients would wait for a body.
      block.append("Content-Length: ")
      block.append(decimal: length)
      block.append("\r\n")
    }
    writeConnection(isHTTP10: isHTTP10, keepsConnection: keepsConnection, to: &block)
    block.append("X-Request-Id: ")
    id.write(to: &block)
    block.append("\r\n\r\n")
  }

  /// Writes the head that turns the connection into a WebSocket (RFC 6455 section 4.2.2).
  ///
  /// - Parameter answersSpeed: the client offered the subprotocol `speed`, so that a browser that had to offer one for
  ///   its token gets an answer where the backend speaks none.
  static func writeUpgrade(
    _ bytes: Span<UInt8>, _ fields: borrowing FieldTable, id: RequestID, answersSpeed: Bool, to block: inout ByteBlock
  ) {
    block.append("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n")
    for index in 0..<fields.count where HeaderPolicy.forwardsToClient(fields[index]) {
      block.append(fields[index], of: bytes)
    }
    if answersSpeed && !fields.has(.secWebSocketProtocol) { block.append("Sec-WebSocket-Protocol: speed\r\n") }
    block.append("X-Request-Id: ")
    id.write(to: &block)
    block.append("\r\n\r\n")
  }

  static func writeConnection(isHTTP10: Bool, keepsConnection: Bool, to block: inout ByteBlock) {
    if !keepsConnection {
      block.append("Connection: close\r\n")
    } else if isHTTP10 {
      block.append("Connection: keep-alive\r\n")
    }
  }
}
