import GatewayHTTP
import Testing

@Suite("Fields that pass") struct PassingFieldsTests {
  /// What a walk copies: whole lines as they are, a field written anew in brackets.
  private func runs(_ lines: String..., holdingBack name: FieldName? = nil) throws -> [String] {
    let bytes = Array(("GET / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
    var table = FieldTable()
    _ = try RequestParser.parse(bytes.span, into: &table)
    var walk = HeaderPolicy.fieldsToBackend()
    if let name { walk.holdBack(name) }
    var result: [String] = []
    while let run = walk.nextRun(table) {
      switch run {
      case .lines(let range): result.append(text(bytes, range))
      case .field(let name, let value): result.append("[\(text(bytes, name)): \(text(bytes, value))]")
      }
    }
    return result
  }

  @Test("lines that stand together are one run")
  func together() throws { #expect(try runs("A: 1", "B: 2", "C: 3") == ["A: 1\r\nB: 2\r\nC: 3\r\n"]) }

  @Test("a field that stays behind parts the runs, also at both ends")
  func parted() throws {
    let seen = try runs("X-Speed-Role: admin", "A: 1", "Connection: close", "B: 2", "X-Forwarded-For: 1.1.1.1")
    #expect(seen == ["A: 1\r\n", "B: 2\r\n"])
  }

  @Test(
    "a line in another form is written anew, and parts the runs",
    arguments: ["B:2", "B:  2", "B:\t2", "B: 2 ", "B: 2\t", "B:2 "])
  func irregular(line: String) throws { #expect(try runs("A: 1", line, "C: 3") == ["A: 1\r\n", "[B: 2]", "C: 3\r\n"]) }

  @Test("an empty value keeps its line's form", arguments: [("B: ", "B: \r\n"), ("B:", "[B: ]"), ("B:  ", "[B: ]")])
  func empty(line: String, expected: String) throws { #expect(try runs(line) == [expected]) }

  @Test("a name that is held back stays behind")
  func heldBack() throws {
    let seen = try runs("A: 1", "Authorization: Bearer x", "B: 2", holdingBack: .authorization)
    #expect(seen == ["A: 1\r\n", "B: 2\r\n"])
  }

  @Test("a head without a field that passes has no run")
  func none() throws { #expect(try runs() == []) }
}
