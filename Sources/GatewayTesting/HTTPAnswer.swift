/// An answer as it stood on the wire.
package struct HTTPAnswer: Sendable {
  package let status: Int
  package let fields: HTTPFields
  /// The content, with its transfer coding taken off.
  package internal(set) var body: [UInt8] = []

  /// - Throws: `TestFailure` for a head that a strict client would refuse.
  init(head: [UInt8]) throws {
    let lines = try HeadText.lines(head)
    let parts = (lines.first ?? "").split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "HTTP/1.1", parts[1].utf8.count == 3, let status = Int(parts[1]) else {
      throw TestFailure("not a status line")
    }
    self.status = status
    fields = try HeadText.fields(lines.dropFirst())
  }

  /// RFC 9112 section 6.3; what it leaves to lenience is an error.
  func framing(toHead: Bool) throws -> MessageReader.Framing {
    let lengths = fields.all("Content-Length")
    let codings = fields.all("Transfer-Encoding")
    if toHead || status < 200 || status == 204 || status == 304 { return .none }
    switch (lengths.count, codings.count) {
    case (0, 0): return .close
    case (1, 0):
      guard let length = Int(lengths[0]), length >= 0 else { throw TestFailure("a bad Content-Length in an answer") }
      return .length(length)
    case (0, 1) where codings[0] == "chunked": return .chunked
    default: throw TestFailure("an answer that is framed twice")
    }
  }

  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The body as JSON.
  package func json() throws -> JSON { try JSON(parsing: body) }

  /// The contract's error code, from the body; nil where the body is no error of the gateway.
  package var errorCode: String? { try? json()["error"].string }
}
