import GatewayBase

/// Turns the fields of a HEADERS block into a head or a trailer section in HTTP/1.1 form.
///
/// It judges what HTTP/2 alone knows (RFC 9113 sections 8.2 and 8.3) and what would make the written form ambiguous: a
/// blank or a line end inside of a part. All else is left to the parser of HTTP/1.1, so that both protocols obey the
/// same rules and get the same answers.
struct HTTP2HeadBuilder: ~Copyable {
  enum Kind {
    case request
    case response
    case trailers
  }

  /// What is wrong with the fields. All but `malformed` get an answer, as the same request over HTTP/1.1 would.
  enum Fault {
    case badRequest(StaticString)
    case headerTooLarge
    case targetTooLong
    /// No message of HTTP/2: the stream is reset with PROTOCOL_ERROR (RFC 9113 section 8.1.1).
    case malformed

    /// The answer that is due; nil where none is.
    var refusal: Refusal? {
      switch self {
      case .badRequest(let message): .badRequest("\(message)")
      case .headerTooLarge: .headerTooLarge
      case .targetTooLong: .targetTooLong
      case .malformed: nil
      }
    }
  }

  /// Pseudo-fields, each of which may come once.
  struct Pseudo: OptionSet {
    let rawValue: UInt8
    static let method = Pseudo(rawValue: 1 << 0)
    static let scheme = Pseudo(rawValue: 1 << 1)
    static let path = Pseudo(rawValue: 1 << 2)
    static let authority = Pseudo(rawValue: 1 << 3)
    static let status = Pseudo(rawValue: 1 << 4)
    static let `protocol` = Pseudo(rawValue: 1 << 5)
  }

  let kind: Kind
  /// The most that the head may have: 431 beyond.
  let limit: Int
  var buffer: HeadBuffer
  /// Crumbs of `cookie`, joined (RFC 9113 section 8.2.3); nil as long as none came.
  private var cookies: HeadBuffer?
  var fault: Fault?
  var seen: Pseudo = []
  var method = 0..<0
  var path = 0..<0
  var authority = 0..<0
  /// Where the head begins in the buffer: behind the pseudo-fields' values. Nil until its first line is written.
  var start: Int?
  /// Of an answer.
  var status: UInt16 = 0
  var statusText = 0..<0
  private(set) var declaredLength: UInt64?
  private var fieldCount = 0
  private var hostCount = 0
  private var listSize = 0

  init(_ kind: Kind, limit: Int, _ buffers: HTTP2Buffers) {
    self.kind = kind
    self.limit = limit
    buffer = buffers.take()
  }

  /// Gives the memory back.
  consuming func release(to buffers: HTTP2Buffers) {
    if let cookies = cookies.take() { buffers.give(cookies) }
    buffers.give(buffer)
  }

  /// Takes one field as it came out of compression.
  ///
  /// - Returns: false where the list is so large that the connection must end: a few bytes can stand for megabytes.
  mutating func take(_ name: Span<UInt8>, _ value: Span<UInt8>, _ buffers: HTTP2Buffers) -> Bool {
    listSize += name.count + value.count + 32
    guard listSize <= Limits.http2HeaderList else { return false }
    guard fault == nil else {
      takeRefused(name, value)
      return true
    }
    guard name.count > 0 else {
      refuse("A header name is empty.")
      return true
    }
    if name[0] == UInt8(ascii: ":") {
      takePseudo(name, value)
    } else {
      takeField(name, value, buffers)
    }
    return true
  }

  /// Ends the list. Where `fault` is nil then, `head` is whole.
  mutating func finish() {
    guard fault == nil else { return }
    beginFields()
    guard fault == nil else { return }
    if let joined = cookies.take() {
      append("cookie: ")
      if !buffer.append(joined) { fault = .headerTooLarge }
      append("\r\n")
      cookies = consume joined
    }
    if kind != .trailers { append("\r\n") }
    if fault == nil, headRange.count > limit { fault = .headerTooLarge }
  }

  /// Where the head, or the trailer section, is in the buffer. Of a request that is refused: what of it a refusal needs.
  var headRange: Range<Int> { min(start ?? 0, buffer.count)..<buffer.count }

  // MARK: Fields

  private mutating func takeField(
    _ name: Span<UInt8>, _ value: Span<UInt8>, _ buffers: HTTP2Buffers
  ) {
    beginFields()
    guard fault == nil else { return }
    guard Self.isName(name) else { return refuse("A header name is no lower-case token.") }
    guard FieldSection.valueEnd(value, from: 0) == value.count else {
      return refuse("A header value holds a control character.")
    }
    switch HTTP2FieldKind(name, 0..<name.count) {
    case .connectionSpecific: fault = .malformed
    case .te where !Self.isTrailers(value): fault = .malformed
    case .cookie: appendCookie(value, buffers)
    case .host where kind == .request: takeHost(name, value)
    case .contentLength where kind != .trailers:
      // A repeated or odd one is refused by the parser.
      declaredLength = DeclaredFraming.length(value, 0..<value.count)
      appendField(name, value)
    default: appendField(name, value)
    }
  }

  /// `Host` may repeat what `:authority` says, or stand in its place (RFC 9113 section 8.3.1).
  private mutating func takeHost(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    hostCount += 1
    guard seen.contains(.authority), hostCount == 1 else { return appendField(name, value) }
    guard Self.isSame(buffer.bytes(authority), value) else {
      return refuse("Host and :authority differ.")
    }
  }

  private mutating func appendCookie(_ value: Span<UInt8>, _ buffers: HTTP2Buffers) {
    var isFirst = false
    var crumbs: HeadBuffer
    if let kept = cookies.take() {
      crumbs = kept
    } else {
      crumbs = buffers.take()
      isFirst = true
      fieldCount += 1
    }
    let fits = (isFirst || crumbs.append("; ")) && crumbs.append(value) && crumbs.count <= limit
    cookies = consume crumbs
    if !fits { fault = .headerTooLarge }
  }

  private mutating func appendField(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    fieldCount += 1
    guard fieldCount <= Limits.fields, buffer.appendLine(name, value), headRange.count <= limit else {
      fault = .headerTooLarge
      return
    }
  }

  mutating func append(_ text: StaticString) {
    if !buffer.append(text) { fault = .headerTooLarge }
  }

  mutating func refuse(_ message: StaticString) {
    fault = kind == .request ? .badRequest(message) : .malformed
  }

  // MARK: Texts

  /// No blank, no control, no colon and no capital: what would be read as something else in the written form. Whether
  /// it is a token is the parser's question.
  private static func isName(_ name: Span<UInt8>) -> Bool {
    name.firstPosition(from: 0) { word in
      ByteWord.below(0x21, word) | ByteWord.equal(0x3A, word) | (ByteWord.lowercased(word) ^ word)
        << 2
    } == name.count
  }

  /// RFC 9113 section 8.2.2: the one value that `te` may have.
  private static func isTrailers(_ value: Span<UInt8>) -> Bool {
    PackedText(lowercasing: value, 0..<value.count).equals("trailers")
  }

  private static func isSame(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    guard first.count == second.count else { return false }
    for index in first.indices
    where ByteClass.lowercased(first[index]) != ByteClass.lowercased(second[index]) {
      return false
    }
    return true
  }
}
