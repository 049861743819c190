import GatewayBase

/// Reads the head of a backend's answer (RFC 9112), as strictly as a request's: a backend that shares a connection
/// among clients must not be able to answer the next one in advance.
package enum ResponseParser {
  /// Reads `head`, which is what `HeadScanner` found complete, and fills `fields`.
  ///
  /// - Parameter requestMethod: the method of the request that it answers: it decides whether there is a body.
  /// - Returns: nil where the answer is malformed: the connection can't be used any more.
  package static func parse(
    _ head: Span<UInt8>, requestMethod: HTTPMethod, into fields: inout FieldTable
  ) -> ResponseHead? {
    fields.removeAll()
    guard head.count <= Limits.responseHead, let line = StatusLine.parse(head) else { return nil }
    do throws(HeadFault) {
      try FieldSection.parse(head, from: line.end, into: &fields)
    } catch {
      return nil
    }
    guard let options = ConnectionOptions.read(head, &fields) else { return nil }
    let hasBody = requestMethod != .head && line.status >= 200 && line.status != 204 && line.status != 304
    let framing: BodyFraming
    var declaredLength: UInt64?
    switch DeclaredFraming.read(head, fields, minorVersion: line.minorVersion) {
    case .malformed, .unsupportedCoding: return nil
    case .absent: framing = hasBody ? .untilClose : .none
    case .chunked: framing = hasBody ? .chunked : .none
    case .length(let length):
      framing = hasBody ? .length(length) : .none
      declaredLength = length
    }
    // Where there can be no body but one is announced, bytes may follow that belong to nothing.
    let announcesLostBody =
      (line.status == 204 || line.status < 200) && (declaredLength ?? 0 != 0 || fields.has(.transferEncoding))
    let isPersistent = (line.minorVersion == 1 || options.keepAlive) && !options.close
    return ResponseHead(
      status: line.status, minorVersion: line.minorVersion, reasonRange: line.reasonRange, framing: framing,
      declaredLength: declaredLength,
      keepAlive: isPersistent && framing != .untilClose && !announcesLostBody,
      keepAliveTimeout: keepAliveTimeout(head, fields),
      upgrade: line.status == 101 && options.upgrade ? upgrade(head, fields) : .none)
  }

  private static func upgrade(_ head: Span<UInt8>, _ fields: borrowing FieldTable) -> Upgrade {
    guard let field = fields.only(.upgrade) else { return .other }
    return PackedText(lowercasing: head, field.valueRange) == websocketText ? .websocket : .other
  }

  /// `timeout=` of `Keep-Alive`, of at most nine digits.
  private static func keepAliveTimeout(_ head: Span<UInt8>, _ fields: borrowing FieldTable) -> UInt32? {
    guard let field = fields.only(.keepAlive) else { return nil }
    var members = ListMembers(field.valueRange)
    while let member = members.next(in: head) {
      let name = member.prefix(timeoutText.count)
      guard PackedText(lowercasing: head, name) == timeoutText else { continue }
      let digits = name.upperBound..<member.upperBound
      guard digits.count <= 9, let seconds = DeclaredFraming.length(head, digits) else { return nil }
      return UInt32(seconds)
    }
    return nil
  }

  private static let websocketText = PackedText("websocket")
  private static let timeoutText = PackedText("timeout=")
}

/// The first line of an answer (RFC 9112 section 4). The space before an absent reason may be absent too.
private struct StatusLine {
  let status: UInt16
  let minorVersion: UInt8
  let reasonRange: Range<Int>
  let end: Int

  static func parse(_ head: Span<UInt8>) -> StatusLine? {
    let version = head.paddedWord(at: 0)
    guard version == RequestLine.http11 || version == RequestLine.http10 else { return nil }
    guard head.count > 13, head[8] == ByteClass.space, let status = DeclaredFraming.length(head, 9..<12),
      (100...599).contains(status)
    else { return nil }
    let reasonStart = head[12] == ByteClass.space ? 13 : 12
    let lineEnd = FieldSection.valueEnd(head, from: reasonStart)
    guard FieldSection.isLineEnd(head, lineEnd), reasonStart == 13 || lineEnd == 12 else { return nil }
    return StatusLine(
      status: UInt16(status), minorVersion: version == RequestLine.http11 ? 1 : 0,
      reasonRange: reasonStart..<lineEnd, end: lineEnd + 2)
  }
}

extension Range<Int> {
  fileprivate func prefix(_ count: Int) -> Range<Int> {
    lowerBound..<(lowerBound + Swift.min(count, upperBound - lowerBound))
  }
}
