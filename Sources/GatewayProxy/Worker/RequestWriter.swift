import GatewayBase
import GatewayHTTP
import GatewayIO

/// Writes the head that a backend gets: from nothing, out of what was judged (RFC 9110 section 7.6).
///
/// The client's fields go on where `HeaderPolicy` says so; everything that speaks for the gateway is written here.
enum RequestWriter {
  struct Parts {
    let request: RequestHead
    let canonical: CanonicalTarget
    let tenant: Tenant
    let forwardsToken: Bool
    /// `Host` and `X-Forwarded-Host`.
    let hostFields: [UInt8]
    /// `X-Forwarded-Proto` and `-Port`.
    let forwardedFields: [UInt8]
    let peer: SocketAddress
    /// The allowed value of `X-Speed-Request-From`.
    let requestFrom: [UInt8]?
    let token: RememberedToken?
    /// What a WebSocket handshake offers; nil for any other request.
    let offer: WebSocketOffer?
    let id: RequestID
    let spanID: UInt64
  }

  /// The block must be empty. A head of at most `Limits.requestHeadCeiling` always fits with what is added.
  static func write(
    _ parts: Parts, head: Span<UInt8>, fields: borrowing FieldTable, target: borrowing TargetBuffer,
    to block: inout ByteBlock
  ) {
    writeLine(parts, head, target.path, to: &block)
    block.append(parts.hostFields)
    writePassing(parts, head, fields, to: &block)
    writeFraming(parts.request.framing, to: &block)
    if let offer = parts.offer { writeUpgrade(offer, parts, head, fields, to: &block) }
    writeOwn(parts, head, fields, to: &block)
    block.append("\r\n")
  }

  private static func writeLine(
    _ parts: Parts, _ head: Span<UInt8>, _ path: Span<UInt8>, to block: inout ByteBlock
  ) {
    block.append(head.extracting(parts.request.methodRange))
    block.append(" ")
    block.append(path)
    if let query = parts.canonical.queryRange {
      block.append("?")
      block.append(head.extracting(query.shifted(by: parts.request.targetRange.lowerBound)))
    }
    block.append(" HTTP/1.1\r\n")
  }

  private static func writePassing(
    _ parts: Parts, _ head: Span<UInt8>, _ fields: borrowing FieldTable, to block: inout ByteBlock
  ) {
    var index = 0
    while index < fields.count {
      let field = fields[index]
      index += 1
      guard HeaderPolicy.forwardsToBackend(field, methodOverride: parts.tenant.allowsMethodOverride) else { continue }
      if field.name == .authorization && !parts.forwardsToken { continue }
      if field.name == .secWebSocketProtocol && parts.offer != nil { continue }
      block.append(field, of: head)
    }
  }

  private static func writeFraming(_ framing: BodyFraming, to block: inout ByteBlock) {
    switch framing {
    case .none, .untilClose: break
    case .chunked: block.append("Transfer-Encoding: chunked\r\n")
    case .length(let count):
      block.append("Content-Length: ")
      block.append(decimal: count)
      block.append("\r\n")
    }
  }

  /// The handshake's own fields (RFC 6455 section 4.1), and the token where it stands for `Authorization`.
  private static func writeUpgrade(
    _ offer: WebSocketOffer, _ parts: Parts, _ head: Span<UInt8>, _ fields: borrowing FieldTable,
    to block: inout ByteBlock
  ) {
    block.append("Connection: Upgrade\r\nUpgrade: websocket\r\n")
    if offer.hasOthers {
      block.append("Sec-WebSocket-Protocol: ")
      var isFirst = true
      WebSocketOffer.forEachPassing(head, fields) { range in
        if !isFirst { block.append(", ") }
        isFirst = false
        block.append(head.extracting(range))
      }
      block.append("\r\n")
    }
    if let token = offer.token, parts.forwardsToken {
      block.append("Authorization: Bearer ")
      block.append(head.extracting(token))
      block.append("\r\n")
    }
  }

  private static func writeOwn(
    _ parts: Parts, _ head: Span<UInt8>, _ fields: borrowing FieldTable, to block: inout ByteBlock
  ) {
    block.append(parts.tenant.appFields)
    if let token = parts.token { block.append(token.identityFields) }
    if let value = parts.requestFrom {
      block.append("X-Speed-Request-From: ")
      block.append(value)
      block.append("\r\n")
    }
    block.append("X-Forwarded-For: ")
    block.append(parts.peer)
    block.append("\r\n")
    block.append(parts.forwardedFields)
    block.append("Via: 1.1 speed-gateway\r\nX-Request-Id: ")
    parts.id.write(to: &block)
    block.append("\r\n")
    TraceContext.write(parts.id, span: parts.spanID, head: head, fields: fields, to: &block)
  }
}

extension ByteBlock {
  /// Appends a received field in one form: name, colon, space, value.
  mutating func append(_ field: Field, of head: Span<UInt8>) {
    append(head.extracting(field.nameRange))
    append(": ")
    append(head.extracting(field.valueRange))
    append("\r\n")
  }

  /// Appends an address without its port, as `X-Forwarded-For` has it.
  mutating func append(_ address: SocketAddress) {
    guard case .v4(let bytes) = address.host else { return append(Array(address.hostText.utf8)) }
    append(decimal: UInt64(bytes >> 24))
    append(".")
    append(decimal: UInt64(bytes >> 16 & 0xFF))
    append(".")
    append(decimal: UInt64(bytes >> 8 & 0xFF))
    append(".")
    append(decimal: UInt64(bytes & 0xFF))
  }
}
