import GatewayBase
import Testing

@testable import GatewayConfig

/// What is read without libyaml is what libyaml reads, place by place.
@Suite("The plain form") struct PlainFormTests {
  /// The tree in one line, with every place; nil where there is none, or something was reported.
  private func byLibyaml(_ text: [UInt8]) -> String? {
    guard (try? SourceText.check(text)) != nil else { return nil }
    let diagnostics = Diagnostics(file: "")
    let root = YAMLReader.tree(text, diagnostics)
    return diagnostics.problems.isEmpty ? root?.written : nil
  }

  private func plainly(_ text: [UInt8]) -> String? {
    (try? SourceText.check(text)) == nil ? nil : PlainForm.read(text)?.written
  }

  private static let plain = [
    fullTenant, tenant(), "a: 1", "a: 1\n\n  # note\nb:\n  c: [x, 'y z', \"w: #\"] # end\n",
    "a:\n- b: 1\n  c: { d: e, f: [] }\n-   g: h\n-  i\n-  'j'\nk: l", "a:\n    - x\n    - [y]\n\nb: {}\n",
    "a:\n  b:\n    c:\n    - d:\n      - e: f\n        g: h\n  i: j\n", "a: b  c   # d\nx-e: http://f:1/g#h\n\n\n",
    "a: [http://127.0.0.1:9001, b=c, d%20e, f@g, h~]\n", "1: 2\nnull: null\ntrue: yes\n",
    "a: _\nb: /\nc: .d\ne.f-g_h: \"\"\ni: ''\n", "# ü\n#\tv\r\na: b # ü\n",
  ]

  @Test("Files as they are mostly written are read without libyaml, to the same tree", arguments: plain)
  func same(text: String) {
    let bytes = Array(text.utf8)
    #expect(plainly(bytes) != nil)
    #expect(plainly(bytes) == byLibyaml(bytes))
  }

  @Test(
    "What is not surely of the form is left to libyaml",
    arguments: [
      "", "a", "- a", "a: b\n c\n", "a: b: c", "a:", "a:\n", "a: &b c", "a: *b", "a: !b c", "a: |\n  b\n",
      "a: >\n  b\n",
      "a: [b: c]", "a: [b,]", "a: [,b]", "a: [b\n  ]", "a: {b}", "a: {b:}", "a: {b:c}", "a: \"\\n\"", "a: 'b''c'",
      "a: 'b'c", "a: [b]c", "a: b\na: c", "{a: b}", "---\na: b", "%YAML 1.1\n---\na: b", "a: b\n...\n", "a:\tb",
      "a: b\r\n",
      "a: ü", "a: \"ü\"", "a: b ü", "a: [ü]", "ü: a", "a: -1", "a: - b", "a:\n  - b\n c: d", "a:\n  b: c\n d: e",
      "  a: b", "a: b\n  # c\n  d", "<<: a", "? a",
      "a:\n-\n", "a:\n- - b", "a:\n  b: c\n- d", "\"a\": b", "a: @b", "a: `b`", "a: b #c\n  d", "a: [b c: d]",
      "a: [b, #c\n]", "a: [?b]", "a: [b?c]",
    ])
  func left(text: String) { #expect(plainly(Array(text.utf8)) == nil) }

  @Test("Sixteen levels and 5,000 nodes are read, one more is left to libyaml")
  func bounds() {
    func nested(_ levels: Int) -> [UInt8] {
      Array("a: \(String(repeating: "[", count: levels))\(String(repeating: "]", count: levels))".utf8)
    }
    #expect(plainly(nested(15)) != nil && plainly(nested(16)) == nil)
    func long(_ nodes: Int) -> [UInt8] {
      Array("a: [\(Array(repeating: "1", count: nodes - 3).joined(separator: ","))]".utf8)
    }
    #expect(plainly(long(5000)) != nil && plainly(long(5001)) == nil)
    #expect(byLibyaml(long(5000)) != nil && byLibyaml(long(5001)) == nil)
  }

  @Test("Whatever is changed in a file: where it is read without libyaml, the tree is the same")
  func changed() {
    var chance = SplitMix64(seed: 0x5EED)
    let bytes = Array(" \n:-#,[]{}'\"/.a1%&*!|>?@~_\\\t".utf8)
    var read = 0
    for turn in 0..<4000 {
      var text = Array(Self.plain[turn % Self.plain.count].utf8)
      for _ in 0...Int.random(in: 0...2, using: &chance) {
        let index = Int.random(in: 0..<text.count, using: &chance)
        let byte = bytes[Int.random(in: 0..<bytes.count, using: &chance)]
        switch Int.random(in: 0...2, using: &chance) {
        case 0: text[index] = byte
        case 1: text.insert(byte, at: index)
        default: text.remove(at: index)
        }
      }
      guard let plain = plainly(text) else { continue }
      read += 1
      let whole = byLibyaml(text)
      #expect(plain == whole, "\(String(decoding: text, as: UTF8.self))")
    }
    #expect(read > 500)
  }
}

extension Node {
  /// All of it, with places.
  fileprivate var written: String {
    let text =
      switch content {
      case .scalar(let text, let isPlain): "\(isPlain ? "bare" : "quoted")<\(text)>"
      case .sequence(let items): "[\(items.map(\.written).joined(separator: " "))]"
      case .mapping(let entries):
        "{\(entries.map { "\($0.key)@\($0.keyPlace.line):\($0.keyPlace.column)=\($0.value.written)" }.joined(separator: " "))}"
      }
    return "\(text)@\(place.line):\(place.column)"
  }
}
