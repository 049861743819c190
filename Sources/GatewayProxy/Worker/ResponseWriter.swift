import GatewayBase
import GatewayHTTP
import GatewayIO

/// Writes the head of a backend's answer for the client: from nothing, out of what was read.
enum ResponseWriter {
  /// Writes all but the empty line that ends the head (`end`). The block must have room for a head of
  /// `Limits.responseHead` and what is added.
  ///
  /// - Parameter cors: what the app says of the origin that asks; the backend's own word holds for `none` alone.
  static func write(
    _ head: ResponseHead, _ bytes: Span<UInt8>, _ fields: borrowing FieldTable, id: RequestID, inChunks: Bool,
    isHTTP10: Bool, keepsConnection: Bool, cors: CORSDecision, to block: inout ByteBlock
  ) {
    block.append("HTTP/1.1 ")
    block.append(bytes.extracting(head.statusRange))
    block.append(" ")
    block.append(bytes.extracting(head.reasonRange))
    block.append("\r\n")
    var passing = HeaderPolicy.fieldsToClient()
    if cors != .none { holdBack(&passing, cors) }
    block.append(passing, fields, of: bytes)
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
    block.append("\r\n")
  }

  /// The fields of a trailer section that the client may have, each as a line: by the rules of a head's fields.
  static func trailers(_ lines: Span<UInt8>, _ fields: inout FieldTable) -> [UInt8] {
    let section = Array(copying: lines) + Array("\r\n".utf8)
    guard TrailerSection.parse(section.span, into: &fields) else { return [] }
    var lines: [UInt8] = []
    for index in 0..<fields.count where HeaderPolicy.forwardsToClient(fields[index]) {
      let field = fields[index]
      lines += section[field.nameRange] + Array(": ".utf8) + section[field.valueRange] + Array("\r\n".utf8)
    }
    return lines
  }

  static func end(_ block: inout ByteBlock) { block.append("\r\n") }

  /// Holds the fields back in whose place the app's policy speaks. Those that a script may read are the backend's own
  /// matter, once the origin may read the answer.
  private static func holdBack(_ passing: inout PassingFields, _ cors: CORSDecision) {
    passing.holdBack(.accessControlAllowOrigin)
    passing.holdBack(.accessControlAllowCredentials)
    passing.holdBack(.accessControlAllowMethods)
    passing.holdBack(.accessControlAllowHeaders)
    passing.holdBack(.accessControlMaxAge)
    if cors == .refused { passing.holdBack(.accessControlExposeHeaders) }
  }

  /// Writes the head that turns the connection into a WebSocket (RFC 6455 section 4.2.2).
  ///
  /// - Parameter answersSpeed: the client offered the subprotocol `speed`, so that a browser that had to offer one for
  ///   its token gets an answer where the backend speaks none.
  static func writeUpgrade(
    _ bytes: Span<UInt8>, _ fields: borrowing FieldTable, id: RequestID, answersSpeed: Bool, to block: inout ByteBlock
  ) {
    block.append("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n")
    block.append(HeaderPolicy.fieldsToClient(), fields, of: bytes)
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
