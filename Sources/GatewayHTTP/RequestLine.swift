import GatewayBase

/// The first line of a request (RFC 9112 section 3): two single spaces, nothing else between its parts.
struct RequestLine {
  let method: HTTPMethod
  let methodRange: Range<Int>
  let targetRange: Range<Int>
  let minorVersion: UInt8
  /// Where the first field line begins.
  let end: Int

  @inline(__always)
  static func parse(_ head: Span<UInt8>, from start: Int) throws(Refusal) -> RequestLine {
    var position = start
    while position < head.count, ByteClass.isToken(head[position]) { position &+= 1 }
    let methodEnd = position
    guard methodEnd > start, methodEnd &- start <= Limits.method, isSpace(head, methodEnd) else { throw malformed }
    let target = (methodEnd &+ 1)..<targetEnd(head, from: methodEnd &+ 1)
    guard target.count <= Limits.target else { throw .targetTooLong }
    guard !target.isEmpty, isSpace(head, target.upperBound) else { throw malformed }
    let versionStart = target.upperBound &+ 1
    let version = head.paddedWord(at: versionStart)
    guard version == http11 || version == http10, FieldSection.isLineEnd(head, versionStart &+ 8) else {
      throw malformed
    }
    return RequestLine(
      method: HTTPMethod.known(head, start..<methodEnd), methodRange: start..<methodEnd, targetRange: target,
      minorVersion: version == http11 ? 1 : 0, end: versionStart &+ 10)
  }

  /// Where the first space or control character is; the end of `head` where there is none.
  @inline(__always)
  private static func targetEnd(_ head: Span<UInt8>, from start: Int) -> Int {
    head.firstPosition(from: start, below: 0x21)
  }

  @inline(__always)
  private static func isSpace(_ head: Span<UInt8>, _ position: Int) -> Bool {
    position < head.count && head[position] == ByteClass.space
  }

  private static var malformed: Refusal { RequestParser.refusal(of: .startLine) }
  static var http11: UInt64 { ByteWord.text("HTTP/1.1") }
  static var http10: UInt64 { ByteWord.text("HTTP/1.0") }
}
