/// What can be read of a head that is refused: which host it names, where to and which page it comes from, so that the
/// page's browser can be told why.
///
/// Whole lines are looked at, up to the head's end or, behind the first line, a byte that no field holds. Nothing else is
/// judged, so this decides what a refusal says and never whether a request is served.
package struct HeadGlimpse {
  /// The value of the one `Host`; nil where there is none that is whole, or several.
  package let host: Range<Int>?
  /// The same of `Origin`.
  package let origin: Range<Int>?
  /// What stands between the first two blanks of the first line, or behind the first one; nil where there is none.
  package let target: Range<Int>?

  /// - Parameter bytes: a head from its first byte, as far as it has come.
  package init(_ bytes: Span<UInt8>) {
    var host = Finding()
    var origin = Finding()
    var target: Range<Int>?
    var start = 0
    var isFirst = true
    while start < bytes.count {
      var end = FieldSection.valueEnd(bytes, from: start)
      if isFirst { end = Self.lineEnd(bytes, from: end) }
      if isFirst, target == nil { target = Self.target(bytes, start..<end) }
      guard FieldSection.isLineEnd(bytes, end) else { break }
      // An empty line may come before the request line (RFC 9112 section 2.2); any other ends the head.
      if end == start, start > 0 { break }
      isFirst = end == start
      let name = PackedText(plainName: bytes, from: start)
      let nameEnd = start + name.count
      if nameEnd < end, bytes[nameEnd] == UInt8(ascii: ":") {
        let value = ((nameEnd + 1)..<end).trimmingBlanks(in: bytes)
        if name == Self.hostName { host.take(value) }
        if name == Self.originName { origin.take(value) }
      }
      start = end + 2
    }
    self.host = host.only
    self.origin = origin.only
    self.target = target
  }

  private static func target(_ bytes: Span<UInt8>, _ line: Range<Int>) -> Range<Int>? {
    guard let blank = line.first(where: { bytes[$0] == 0x20 }) else { return nil }
    let rest = (blank + 1)..<line.upperBound
    let target = rest.lowerBound..<(rest.first { bytes[$0] == 0x20 } ?? rest.upperBound)
    return target.isEmpty ? nil : target
  }

  /// The end of a line that may hold what no field does: a request line can be what the head is refused for.
  private static func lineEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count, !FieldSection.isLineEnd(bytes, index) { index += 1 }
    return index
  }

  private struct Finding {
    private var first: Range<Int>?
    private var isRepeated = false

    mutating func take(_ value: Range<Int>) {
      isRepeated = first != nil
      first = value
    }

    var only: Range<Int>? { isRepeated ? nil : first }
  }

  private static let hostName = PackedText("host")
  private static let originName = PackedText("origin")
}
