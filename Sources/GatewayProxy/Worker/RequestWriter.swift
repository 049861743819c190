import GatewayBase
import GatewayHTTP
import GatewayIO

/// Writes the head that a backend gets: from nothing, out of what was judged (RFC 9110 section 7.6).
///
/// The client's fields go on where `HeaderPolicy` says so; everything that speaks for the gateway is written here.
enum RequestWriter {
  /// The allowed value of `X-Speed-Request-From` that goes on.
  enum RequestFrom: Equatable {
    case none
    /// The received one: where it is in the head.
    case received(Range<Int>)
    case web
  }

  /// What is particular to a request. It holds no reference, so that it costs no count.
  struct Parts {
    let request: RequestHead
    /// Whether it came over HTTP/2, though its head has the form of HTTP/1.1.
    let isHTTP2: Bool
    /// How the backend is told the end of the body.
    let framing: BodyFraming
    let canonical: CanonicalTarget
    let methodOverride: Bool
    let forwardsToken: Bool
    /// Where the request came from: the one line of `X-Forwarded-For`.
    let address: IPAddress
    let requestFrom: RequestFrom
    /// What a WebSocket handshake offers; nil for any other request.
    let offer: WebSocketOffer?
    let id: RequestID
    let spanID: UInt64
  }

  /// The block must be empty. A head of at most `Limits.requestHeadCeiling` always fits with what is added.
  ///
  /// - Parameters:
  ///   - hostFields: `Host`, `X-Forwarded-Host` and `X-Speed-App-Id`.
  ///   - forwardedFields: `X-Forwarded-Proto` and `-Port`.
  static func write(
    _ parts: Parts, hostFields: [UInt8], forwardedFields: [UInt8], token: RememberedToken?, head: Span<UInt8>,
    fields: borrowing FieldTable, target: borrowing TargetBuffer, to block: inout ByteBlock
  ) {
    writeLine(parts, head, target.path, to: &block)
    block.append(hostFields)
    writePassing(parts, head, fields, to: &block)
    writeFraming(parts.framing, to: &block)
    if let offer = parts.offer { writeUpgrade(offer, parts, head, fields, to: &block) }
    if let token { block.append(token.identityFields) }
    writeRequestFrom(parts, head, to: &block)
    block.append("X-Forwarded-For: ")
    block.append(parts.address)
    block.append("\r\n")
    block.append(forwardedFields)
    block.append(via(parts))
    block.append(" speed-gateway\r\nX-Request-Id: ")
    parts.id.write(to: &block)
    block.append("\r\n")
    TraceContext.write(parts.id, span: parts.spanID, head: head, fields: fields, to: &block)
    block.append("\r\n")
  }

  /// The protocol by which the request came (RFC 9110 section 7.6.3), not the one by which it goes on.
  private static func via(_ parts: Parts) -> StaticString {
    if parts.isHTTP2 { return "Via: 2.0" }
    return parts.request.minorVersion == 0 ? "Via: 1.0" : "Via: 1.1"
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
    var passing = HeaderPolicy.fieldsToBackend(methodOverride: parts.methodOverride)
    if !parts.forwardsToken { passing.holdBack(.authorization) }
    if parts.offer != nil { passing.holdBack(.secWebSocketProtocol) }
    block.append(passing, fields, of: head)
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

  private static func writeRequestFrom(_ parts: Parts, _ head: Span<UInt8>, to block: inout ByteBlock) {
    switch parts.requestFrom {
    case .none: break
    case .web: block.append("X-Speed-Request-From: web\r\n")
    case .received(let range):
      block.append("X-Speed-Request-From: ")
      block.append(head.extracting(range))
      block.append("\r\n")
    }
  }
}

extension ByteBlock {
  /// Appends what a walk over the fields of a received head passes on.
  mutating func append(_ passing: PassingFields, _ fields: borrowing FieldTable, of head: Span<UInt8>) {
    var passing = passing
    while let run = passing.nextRun(fields) {
      switch run {
      case .lines(let range): append(head.extracting(range))
      case .field(let name, let value): appendField(head.extracting(name), head.extracting(value))
      }
    }
  }

  /// Appends a received field in one form: name, colon, space, value.
  mutating func append(_ field: Field, of head: Span<UInt8>) {
    appendField(head.extracting(field.nameRange), head.extracting(field.valueRange))
  }

  private mutating func appendField(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    append(name)
    append(": ")
    append(value)
    append("\r\n")
  }

  /// Appends an address as `X-Forwarded-For` has it.
  mutating func append(_ address: IPAddress) {
    guard case .v4(let bytes) = address else { return append(Array(address.description.utf8)) }
    append(decimal: UInt64(bytes >> 24))
    append(".")
    append(decimal: UInt64(bytes >> 16 & 0xFF))
    append(".")
    append(decimal: UInt64(bytes >> 8 & 0xFF))
    append(".")
    append(decimal: UInt64(bytes & 0xFF))
  }
}
