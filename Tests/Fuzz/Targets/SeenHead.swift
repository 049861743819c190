import GatewayBase
import GatewayHTTP

/// A field as the parser saw it.
struct SeenField: Equatable {
  let name: [UInt8]
  let value: [UInt8]
  let known: FieldName
  let fieldClass: FieldClass

  /// The name as a backend may fold it: CGI and its like take every odd byte for one and the same.
  var folded: String {
    name.map { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
        ? byte : (0x41...0x5A).contains(byte) ? byte + 0x20 : UInt8(ascii: "-")
    }.text
  }
}

extension [SeenField] {
  init(_ table: borrowing FieldTable, _ head: [UInt8]) throws(BrokenProperty) {
    self = []
    var end = 0
    for index in 0..<table.count {
      let field = table[index]
      try expect(
        field.nameRange.lowerBound >= end && field.nameRange.upperBound <= field.valueRange.lowerBound
          && field.valueRange.upperBound <= head.count, "fields are in the head, in its order")
      end = field.valueRange.upperBound
      append(
        SeenField(
          name: Array<UInt8>(head[field.nameRange]), value: Array<UInt8>(head[field.valueRange]), known: field.name,
          fieldClass: field.fieldClass))
    }
  }

  /// The values of all fields of this name.
  func values(_ name: String) -> [[UInt8]] { filter { $0.name.lowercased.text == name }.map(\.value) }

  /// The fields as lines.
  var lines: [UInt8] { flatMap { $0.name + [UInt8(ascii: ":")] + $0.value + crlf } }
}

/// The fields of `lines`, taken apart at the first colon; nil where one has none.
func plainFields(_ lines: ArraySlice<ArraySlice<UInt8>>) -> [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)]? {
  var fields: [(ArraySlice<UInt8>, ArraySlice<UInt8>)] = []
  for line in lines {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    fields.append((line[..<colon], line[(colon + 1)...].trimmed))
  }
  return fields
}

/// Whether a parser saw the same fields as the plainest reader, all of them well-formed.
func checkFields(_ seen: [SeenField], _ lines: ArraySlice<ArraySlice<UInt8>>) throws(BrokenProperty) {
  try expect(seen.count <= Limits.fields, "fields are within their limit")
  guard let plain = plainFields(lines) else { throw BrokenProperty(description: "a line without a colon passed") }
  try expect(plain.count == seen.count, "each line is one field")
  for (field, line) in zip(seen, plain) {
    try expect(field.name == Array(line.name) && field.value == Array(line.value), "a field is what its line says")
    try expect(field.name.isToken && field.value.isFieldValue, "a field is well-formed")
    try checkPolicy(field)
  }
}

/// Names that would speak for the gateway, or of the connection, wherever they came from.
private let neverForwarded: Set = [
  "connection", "keep-alive", "te", "trailer", "upgrade", "transfer-encoding", "content-length", "host", "expect",
  "proxy-connection", "proxy-authorization", "x-speed", "x-real-ip", "forwarded", "via", "x-request-id", "proxy",
  "x-original-url", "x-http-method-override",
]

private func checkPolicy(_ field: SeenField) throws(BrokenProperty) {
  let received = Field(name: field.known, fieldClass: field.fieldClass, nameRange: 0..<1, valueRange: 0..<0)
  let folded = field.folded
  if neverForwarded.contains(folded) || folded.hasPrefix("x-speed-") || folded.hasPrefix("x-forwarded") {
    try expect(!HeaderPolicy.forwardsToBackend(received), "a forged \(folded) does not reach a backend")
  }
  if folded == "transfer-encoding" || folded == "content-length" || folded.hasPrefix("x-speed-") {
    try expect(!HeaderPolicy.forwardsToClient(received), "a forged \(folded) does not reach a client")
  }
  if field.fieldClass.contains(.nominated) {
    try expect(!HeaderPolicy.forwardsToBackend(received), "what Connection names goes no further")
  }
}

/// What framing fields must mean where a head was taken at all.
func checkFraming(_ fields: [SeenField], minorVersion: UInt8, _ framing: BodyFraming) throws(BrokenProperty) {
  let codings = fields.values("transfer-encoding")
  let lengths = fields.values("content-length")
  try expect(codings.isEmpty || lengths.isEmpty, "no message has both a length and a coding")
  try expect(codings.count <= 1 && lengths.count <= 1, "no framing field comes twice")
  try expect(codings.isEmpty || minorVersion == 1, "no message of HTTP/1.0 has a coding")
  try expect(codings.allSatisfy { $0.lowercased.text == "chunked" }, "the only coding is chunked")
  try expect(lengths.allSatisfy { $0.isDigits && UInt64($0.text) != nil }, "a length is digits")
  switch framing {
  case .length(let length):
    try expect(lengths.first.map(\.text).flatMap(UInt64.init) == length, "the length is as said")
  case .chunked: try expect(!codings.isEmpty, "chunked was said")
  case .none, .untilClose: break
  }
}

/// Whether the connection stays, by the plainest reading.
func staysOpen(_ fields: [SeenField], minorVersion: UInt8) -> Bool {
  let options = members(fields.values("connection")).map { $0.lowercased.text }
  return !options.contains("close") && (minorVersion == 1 || options.contains("keep-alive"))
}

/// What a scanner says of bytes that arrive `step` at a time.
func scan(_ bytes: [UInt8], every step: Int) -> HeadScan {
  var scanner = HeadScanner()
  for end in cuts(bytes.count, every: step) {
    let result = scanner.scan(bytes.span.extracting(0..<end))
    if result != .incomplete { return result }
  }
  return .incomplete
}
