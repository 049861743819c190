import GatewayBase
import GatewayHTTP

/// A request target; the first byte chooses the method and whether paths are opaque.
func fuzzTarget(_ bytes: [UInt8]) throws(BrokenProperty) {
  guard let choice = bytes.first else { return }
  let method: HTTPMethod = [.get, .options, .post, .connect, .trace, .other, .head, .put][Int(choice & 7)]
  try checkTarget(Array(bytes.dropFirst()), method, opaque: choice & 8 != 0)
}

/// That a canonical target is its own canonical form, and that no reading of its path leads elsewhere than the rules
/// looked.
func checkTarget(_ target: [UInt8], _ method: HTTPMethod, opaque: Bool) throws(BrokenProperty) {
  _ = QueryInspection.holdsAccessToken(target.span)
  guard let canonical = try Canonical.parse(target, method, opaque: opaque) else { return }
  guard !canonical.isAsterisk else {
    return try expect(target == [UInt8(ascii: "*")] && method == .options, "only OPTIONS has *")
  }
  let path = canonical.path
  try expect(path.first == UInt8(ascii: "/") && path.count <= target.count, "a path begins with / and does not grow")
  try expect((path + (canonical.query ?? [])).allSatisfy { (0x21...0x7E).contains($0) }, "a target is visible ASCII")
  let written = path + (canonical.query.map { [UInt8(ascii: "?")] + $0 } ?? [])
  try expect(try Canonical.parse(written, method, opaque: opaque) == canonical, "a canonical target is its own form")
  let plain = target.prefix { $0 != UInt8(ascii: "?") }
  try expect(
    canonical.query == (plain.count < target.count ? Array(target.dropFirst(plain.count + 1)) : nil),
    "a query passes untouched")
  if opaque {
    try expect(path == Array(plain), "an opaque path passes untouched")
  } else {
    try checkPath(path)
    try checkReadings(path)
  }
}

private struct Canonical: Equatable {
  let path: [UInt8]
  let query: [UInt8]?
  let isAsterisk: Bool

  /// Nil where it is refused.
  static func parse(_ target: [UInt8], _ method: HTTPMethod, opaque: Bool) throws(BrokenProperty) -> Canonical? {
    var buffer = TargetBuffer()
    let result: CanonicalTarget
    do throws(Refusal) {
      result = try CanonicalTarget.parse(target.span, method: method, opaque: opaque, into: &buffer)
    } catch {
      try expect([400, 405, 414].contains(error.status), "a refusal of a target is 400, 405 or 414")
      return nil
    }
    try expect(method != .connect && method != .trace, "CONNECT and TRACE are refused")
    try expect(result.pathCount == buffer.count, "the path is what was written")
    return Canonical(
      path: Array<UInt8>(buffer.path), query: result.queryRange.map { Array<UInt8>(target[$0]) },
      isAsterisk: result.isAsterisk)
  }
}

private func checkPath(_ path: [UInt8]) throws(BrokenProperty) {
  let segments = path.text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
  try expect(!segments.dropLast().contains(""), "a path has no empty segment")
  for segment in segments {
    try expect(segment != "." && segment != "..", "a path has no dot segment")
    try expect(!segment.hasPrefix(".;") && !segment.hasPrefix("..;"), "a path has no dot segment with parameters")
  }
  var rest = path.text[...]
  while let percent = rest.firstIndex(of: "%") {
    let digits = rest[percent...].dropFirst().prefix(2)
    guard digits.count == 2, let value = UInt8(digits, radix: 16) else {
      throw BrokenProperty(description: "a percent sign begins a triplet")
    }
    try expect(digits == digits.uppercased(), "a triplet is in upper case")
    let isPlain =
      value < 0x80 && (Character(Unicode.Scalar(value)).isLetter || Character(Unicode.Scalar(value)).isNumber)
    try expect(!isPlain && !Array("-._~".utf8).contains(value), "what needs no triplet has none")
    rest = rest[digits.endIndex...]
  }
}

/// A backend may decode once or more often: it never finds another separator, NUL or dot segment.
private func checkReadings(_ path: [UInt8]) throws(BrokenProperty) {
  var reading = path
  while let next = decodedOnce(reading), next != reading {
    try expect(
      next.count(where: { $0 == UInt8(ascii: "/") }) == path.count(where: { $0 == UInt8(ascii: "/") }),
      "no decoding makes a separator")
    try expect(!next.contains(UInt8(ascii: "\\")) && !next.contains(0), "no decoding makes a back-slash or NUL")
    let segments = next.split(separator: UInt8(ascii: "/")).map { $0.text }
    try expect(!segments.contains(".") && !segments.contains(".."), "no decoding makes a dot segment")
    reading = next
  }
}

/// Nil where a triplet is malformed: then nobody decodes it.
private func decodedOnce(_ bytes: [UInt8]) -> [UInt8]? {
  var result: [UInt8] = []
  var rest = bytes[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      result.append(byte)
      continue
    }
    let digits = rest.prefix(2)
    guard digits.count == 2, let high = Hex.value(of: digits[digits.startIndex]),
      let low = Hex.value(of: digits[digits.startIndex + 1])
    else { return nil }
    result.append(high << 4 | low)
    rest = rest.dropFirst(2)
  }
  return result
}
