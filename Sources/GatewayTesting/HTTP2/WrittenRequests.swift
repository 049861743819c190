/// Takes requests in the form of HTTP/1.1 apart, as far as they have a form on HTTP/2.
struct WrittenRequests {
  enum Part {
    case head([(name: String, value: String)], method: String, ends: Bool)
    case data([UInt8], ends: Bool)
    case trailers([(name: String, value: String)])
  }

  private enum Body {
    case none
    case length(Int)
    case chunked
  }

  private var bytes: [UInt8] = []
  private var body = Body.none

  /// Whether bytes wait that are no whole head.
  var isInsideHead: Bool { if case .none = body { !bytes.isEmpty } else { false } }

  mutating func append(_ more: [UInt8]) { bytes += more }

  /// The next part; nil where more bytes are needed.
  ///
  /// - Throws: `NotOnThisWire` for what HTTP/2 can't say.
  mutating func next() throws -> Part? {
    switch body {
    case .none: return try nextHead()
    case .length(let left):
      guard !bytes.isEmpty else { return nil }
      let part = Array(bytes.prefix(left))
      bytes.removeFirst(part.count)
      body = part.count == left ? .none : .length(left - part.count)
      return .data(part, ends: part.count == left)
    case .chunked: return try nextChunk()
    }
  }

  private mutating func nextHead() throws -> Part? {
    guard let end = end(of: "\r\n\r\n") else { return nil }
    let lines = Self.lines(bytes[..<(end - 4)])
    bytes.removeFirst(end)
    // The target lies between the first and the last blank: one with blanks reaches the gateway as it is.
    guard let line = lines.first, line.hasSuffix(" HTTP/1.1"), let blank = line.firstIndex(of: " ") else {
      throw NotOnThisWire()
    }
    let method = String(line[..<blank])
    let rest = line[line.index(after: blank)...]
    guard rest.count > 9 else { throw NotOnThisWire() }
    var request = HTTPRequest(method, String(rest.dropLast(9)), host: nil)
    request.fields = try lines.dropFirst().map(Self.field)
    body = try Self.body(of: request)
    var ends = false
    if case .none = body { ends = true }
    return .head(HTTP2Session.fields(of: request), method: method, ends: ends)
  }

  /// How the body is framed; what is in doubt there is for HTTP/1.1 alone.
  private static func body(of request: HTTPRequest) throws -> Body {
    let fields = HTTPFields(request.fields)
    for option in fields.all("Connection").joined(separator: ",").split(separator: ",") {
      let option = option.filter { $0 != " " }.lowercased()
      guard ["close", "keep-alive"].contains(option) else { throw NotOnThisWire() }
    }
    let (lengths, codings) = (fields.all("Content-Length"), fields.all("Transfer-Encoding"))
    guard codings.isEmpty || (codings == ["chunked"] && lengths.isEmpty) else { throw NotOnThisWire() }
    guard codings.isEmpty else { return .chunked }
    guard lengths.count == 1, lengths[0].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let length = Int(lengths[0]),
      length > 0
    else { return .none }
    return .length(length)
  }

  private mutating func nextChunk() throws -> Part? {
    guard let lineEnd = end(of: "\r\n") else { return nil }
    let line = String(decoding: bytes[..<(lineEnd - 2)], as: UTF8.self).prefix { $0 != ";" }
    guard let size = Int(line, radix: 16), line.first?.isHexDigit ?? false else { throw NotOnThisWire() }
    if size == 0 {
      if bytes.count >= lineEnd + 2, bytes[lineEnd] == 0x0D, bytes[lineEnd + 1] == 0x0A {
        bytes.removeFirst(lineEnd + 2)
        body = .none
        return .data([], ends: true)
      }
      guard let end = end(of: "\r\n\r\n") else { return nil }
      let fields = try Self.lines(bytes[lineEnd..<(end - 4)]).map(Self.field)
      bytes.removeFirst(end)
      body = .none
      return .trailers(fields.map { ($0.name.lowercased(), $0.value) })
    }
    guard bytes.count >= lineEnd + size + 2 else { return nil }
    guard bytes[lineEnd + size] == 0x0D, bytes[lineEnd + size + 1] == 0x0A else { throw NotOnThisWire() }
    let part = Array(bytes[lineEnd..<(lineEnd + size)])
    bytes.removeFirst(lineEnd + size + 2)
    return .data(part, ends: false)
  }

  /// Where the first `mark` ends.
  private func end(of mark: String) -> Int? {
    let mark = Array(mark.utf8)
    guard bytes.count >= mark.count else { return nil }
    return (0...(bytes.count - mark.count)).first { bytes[$0..<($0 + mark.count)].elementsEqual(mark) }
      .map { $0 + mark.count }
  }

  private static func lines(_ bytes: ArraySlice<UInt8>) -> [String] {
    var lines: [[UInt8]] = [[]]
    for byte in bytes {
      if byte == 0x0A, lines[lines.count - 1].last == 0x0D {
        lines[lines.count - 1].removeLast()
        lines.append([])
      } else {
        lines[lines.count - 1].append(byte)
      }
    }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func field(_ line: String) throws -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: ":"), line.first != " ", line.first != "\t" else { throw NotOnThisWire() }
    var value = line[line.index(after: colon)...]
    while value.first == " " || value.first == "\t" { value.removeFirst() }
    while value.last == " " || value.last == "\t" { value.removeLast() }
    return (String(line[..<colon]), String(value))
  }
}
