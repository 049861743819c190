import GatewayBase
import GatewayHTTP

/// A field as a test sees it.
struct SeenField: Equatable {
  let name: String
  let value: String
  let known: FieldName
  let fieldClass: FieldClass
  let reachesBackend: Bool
  let reachesClient: Bool
}

struct SeenRequest {
  let head: RequestHead
  let fields: [SeenField]

  /// The names of the fields that go on to a backend.
  var forwarded: [String] { fields.filter(\.reachesBackend).map(\.name) }
}

struct SeenResponse {
  let head: ResponseHead
  let fields: [SeenField]

  var forwarded: [String] { fields.filter(\.reachesClient).map(\.name) }
}

func text(_ bytes: [UInt8], _ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

private func seen(_ table: borrowing FieldTable, _ bytes: [UInt8]) -> [SeenField] {
  var fields: [SeenField] = []
  for index in 0..<table.count {
    let field = table[index]
    fields.append(
      SeenField(
        name: text(bytes, field.nameRange), value: text(bytes, field.valueRange), known: field.name,
        fieldClass: field.fieldClass, reachesBackend: HeaderPolicy.forwardsToBackend(field),
        reachesClient: HeaderPolicy.forwardsToClient(field)))
  }
  return fields
}

func parseRequest(_ bytes: [UInt8]) throws(Refusal) -> SeenRequest {
  var table = FieldTable()
  let head = try RequestParser.parse(bytes.span, into: &table)
  return SeenRequest(head: head, fields: seen(table, bytes))
}

func parseRequest(_ text: String) throws(Refusal) -> SeenRequest { try parseRequest(Array(text.utf8)) }

/// A GET of `/` from host `a`, with these header lines besides.
func request(_ lines: String..., method: String = "GET", version: String = "1.1") -> String {
  "\(method) / HTTP/\(version)\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
}

/// The refusal of a head, or nil where it is a request.
func refusal(_ text: String) -> Refusal? {
  do throws(Refusal) {
    _ = try parseRequest(text)
    return nil
  } catch {
    return error
  }
}

func parseResponse(_ text: String, to method: HTTPMethod = .get) -> SeenResponse? {
  let bytes = Array(text.utf8)
  var table = FieldTable()
  guard let head = ResponseParser.parse(bytes.span, requestMethod: method, into: &table) else { return nil }
  return SeenResponse(head: head, fields: seen(table, bytes))
}

/// What a name alone is taken for; nil where it is no name.
func judge(_ name: String) -> FieldName? { FieldName.judge(Array(name.utf8).span)?.name }

/// The canonical form of a target: its path and, where there is one, its query behind `?`.
func canonical(_ target: String, method: HTTPMethod = .get, opaque: Bool = false) throws(Refusal) -> String {
  let bytes = Array(target.utf8)
  var buffer = TargetBuffer()
  let result = try CanonicalTarget.parse(bytes.span, method: method, opaque: opaque, into: &buffer)
  if result.isAsterisk { return "*" }
  var path: [UInt8] = []
  for index in buffer.path.indices { path.append(buffer.path[index]) }
  return String(decoding: path, as: UTF8.self) + (result.queryRange.map { "?" + text(bytes, $0) } ?? "")
}

func targetRefusal(_ target: String, method: HTTPMethod = .get, opaque: Bool = false) -> UInt16? {
  do throws(Refusal) {
    _ = try canonical(target, method: method, opaque: opaque)
    return nil
  } catch {
    return error.status
  }
}

/// What a chunked decoder makes of `pieces`, given one after the other.
struct Decoded: Equatable {
  var payload: [UInt8] = []
  /// Bytes that follow the body; nil where it did not end.
  var rest: [UInt8]?
  var isMalformed = false

  init(_ pieces: [[UInt8]]) {
    var decoder = ChunkedDecoder()
    for (index, piece) in pieces.enumerated() {
      var position = 0
      while position < piece.count {
        switch decoder.next(piece.span.extracting(position..<piece.count)) {
        case .data(let skip, let count):
          payload += piece[(position + skip)..<(position + skip + count)]
          position += skip + count
        case .needMore(let consumed): position += consumed
        case .end(let consumed):
          rest = Array(piece[(position + consumed)...]) + pieces[(index + 1)...].flatMap { $0 }
          return
        case .malformed:
          isMalformed = true
          return
        }
      }
    }
  }

  init(_ text: String) { self.init([Array(text.utf8)]) }

  var text: String { String(decoding: payload, as: UTF8.self) }
}

// Expectations can't take spans, so these take what owns its bytes.
extension HeadScanner {
  mutating func scan(_ bytes: [UInt8], upTo end: Int) -> HeadScan { scan(bytes.span.extracting(0..<end)) }
}

extension ChunkedDecoder {
  mutating func next(_ text: String) -> ChunkStep { next(Array(text.utf8).span) }
}

extension HTTPMethod {
  static func parse(_ text: String) -> HTTPMethod? { parse(Array(text.utf8).span) }
}
