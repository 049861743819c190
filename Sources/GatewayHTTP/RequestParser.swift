import GatewayBase

/// Reads the head of an HTTP/1.1 or HTTP/1.0 request (RFC 9112), strictly: what is in doubt is refused.
package enum RequestParser {
  /// Reads `head`, which is what `HeadScanner` found complete, and fills `fields`.
  ///
  /// Not judged here: the target beyond its size (`CanonicalTarget`) and the host's text (`HostName`).
  /// - Throws: a refusal that closes the connection: 400, 414 (target), 431 (fields), 501 (transfer coding).
  package static func parse(
    _ head: Span<UInt8>, into fields: inout FieldTable
  ) throws(Refusal) -> RequestHead {
    let request = try parse(prefixOf: head, into: &fields)
    guard request.count == head.count else { throw refusal(of: .lineEnd) }
    return request
  }

  /// The same for bytes that begin with a head: `count` of what is returned tells where it ends.
  package static func parse(
    prefixOf bytes: Span<UInt8>, into fields: inout FieldTable
  ) throws(Refusal) -> RequestHead {
    fields.removeAll()
    guard bytes.count <= Limits.requestHeadCeiling else { throw .headerTooLarge }
    let line = try RequestLine.parse(bytes, from: FieldSection.isLineEnd(bytes, 0) ? 2 : 0)
    let count: Int
    do throws(HeadFault) {
      count = try FieldSection.parsePrefix(bytes, from: line.end, into: &fields)
    } catch {
      throw refusal(of: error)
    }
    return try judge(line, bytes.extracting(0..<count), &fields)
  }

  private static func judge(
    _ line: RequestLine, _ head: Span<UInt8>, _ fields: inout FieldTable
  ) throws(Refusal) -> RequestHead {
    guard let options = ConnectionOptions.read(head, &fields) else { throw .badRequest("Connection is malformed.") }
    let framing = try framing(head, fields, minorVersion: line.minorVersion)
    let expectsContinue = try expectsContinue(head, fields, minorVersion: line.minorVersion)
    guard let hostIndex = fields.first(.host), !fields.isRepeated(.host) else {
      throw .badRequest("Send exactly one Host.")
    }
    let isPersistent = line.minorVersion == 1 || options.keepAlive
    return RequestHead(
      count: head.count, method: line.method, methodRange: line.methodRange, targetRange: line.targetRange,
      minorVersion: line.minorVersion, framing: framing, keepAlive: isPersistent && !options.close,
      expectsContinue: expectsContinue && framing != .none,
      upgrade: options.upgrade && line.minorVersion == 1 ? upgrade(head, fields) : .none,
      hasNominations: options.hasNominations, hostIndex: hostIndex)
  }

  private static func framing(
    _ head: Span<UInt8>, _ fields: borrowing FieldTable, minorVersion: UInt8
  ) throws(Refusal) -> BodyFraming {
    switch DeclaredFraming.read(head, fields, minorVersion: minorVersion) {
    case .absent: return .none
    case .length(let length): return .length(length)
    case .chunked: return .chunked
    case .unsupportedCoding: throw .unsupportedCoding
    case .malformed:
      throw .badRequest("Send one Content-Length of digits, or Transfer-Encoding: chunked on HTTP/1.1, not both.")
    }
  }

  /// RFC 9110 section 10.1.1: the one expectation is `100-continue`, and one of HTTP/1.0 is ignored.
  private static func expectsContinue(
    _ head: Span<UInt8>, _ fields: borrowing FieldTable, minorVersion: UInt8
  ) throws(Refusal) -> Bool {
    guard fields.has(.expect), minorVersion == 1 else { return false }
    guard let field = fields.only(.expect), PackedText(lowercasing: head, field.valueRange) == continueText else {
      throw .badRequest("The only expectation is 100-continue.")
    }
    return true
  }

  private static func upgrade(_ head: Span<UInt8>, _ fields: borrowing FieldTable) -> Upgrade {
    guard fields.has(.upgrade) else { return .none }
    guard let field = fields.only(.upgrade) else { return .other }
    return PackedText(lowercasing: head, field.valueRange) == websocketText ? .websocket : .other
  }

  static func refusal(of fault: HeadFault) -> Refusal {
    switch fault {
    case .startLine: .badRequest("The request line is not METHOD SP TARGET SP HTTP/1.1.")
    case .lineEnd: .badRequest("Lines of a head end in CRLF, and an empty line ends the head.")
    case .fieldName: .badRequest("A header line must be a name, a colon without a blank before it, and a value.")
    case .fieldValue: .badRequest("A header value holds a control character.")
    case .tooManyFields: .headerTooLarge
    }
  }

  private static let continueText = PackedText("100-continue")
  private static let websocketText = PackedText("websocket")
}
