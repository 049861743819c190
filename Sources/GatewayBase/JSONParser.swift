/// Recursive descent over the bytes of one JSON text; the recursion is bounded by `Limits.jsonDepth`.
struct JSONParser {
  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func wholeText() throws(JSONMalformed) -> JSONValue {
    let value = try value()
    skipBlanks()
    guard index == bytes.count else { throw malformed(.trailingBytes) }
    return value
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func malformed(_ reason: JSONMalformed.Reason) -> JSONMalformed {
    JSONMalformed(offset: index, reason: reason)
  }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ word: StaticString, _ value: JSONValue) throws(JSONMalformed) -> JSONValue {
    for byte in "\(word)".utf8 {
      guard let found = next else { throw malformed(.endOfText) }
      guard found == byte else { throw malformed(.unexpectedByte) }
      index += 1
    }
    return value
  }

  private mutating func value() throws(JSONMalformed) -> JSONValue {
    skipBlanks()
    guard let byte = next else { throw malformed(.endOfText) }
    switch byte {
    case UInt8(ascii: "{"): return try nested { parser throws(JSONMalformed) in try parser.members() }
    case UInt8(ascii: "["): return try nested { parser throws(JSONMalformed) in try parser.elements() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try expect("true", .bool(true))
    case UInt8(ascii: "f"): return try expect("false", .bool(false))
    case UInt8(ascii: "n"): return try expect("null", .null)
    case UInt8(ascii: "-"), 0x30...0x39: return try number()
    default: throw malformed(.unexpectedByte)
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONMalformed) -> JSONValue
  ) throws(JSONMalformed) -> JSONValue {
    guard depth < Limits.jsonDepth else { throw malformed(.tooDeep) }
    depth += 1
    index += 1
    skipBlanks()
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func members() throws(JSONMalformed) -> JSONValue {
    var members: [String: JSONValue] = [:]
    if skip(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw malformed(next == nil ? .endOfText : .unexpectedByte) }
      let name = try string()
      skipBlanks()
      guard skip(UInt8(ascii: ":")) else { throw malformed(next == nil ? .endOfText : .unexpectedByte) }
      guard members.updateValue(try value(), forKey: name) == nil else { throw malformed(.duplicateName) }
      skipBlanks()
      if skip(UInt8(ascii: "}")) { return .object(members) }
      guard skip(UInt8(ascii: ",")) else { throw malformed(next == nil ? .endOfText : .unexpectedByte) }
    }
  }

  private mutating func elements() throws(JSONMalformed) -> JSONValue {
    var elements: [JSONValue] = []
    if skip(UInt8(ascii: "]")) { return .array(elements) }
    while true {
      elements.append(try value())
      skipBlanks()
      if skip(UInt8(ascii: "]")) { return .array(elements) }
      guard skip(UInt8(ascii: ",")) else { throw malformed(next == nil ? .endOfText : .unexpectedByte) }
    }
  }
}

// Numbers and strings.
extension JSONParser {
  private mutating func digits() throws(JSONMalformed) {
    let start = index
    while let byte = next, 0x30...0x39 ~= byte { index += 1 }
    guard index > start else { throw malformed(.invalidNumber) }
  }

  private mutating func number() throws(JSONMalformed) -> JSONValue {
    let start = index
    _ = skip(UInt8(ascii: "-"))
    if !skip(0x30) { try digits() }
    var isInteger = true
    if skip(UInt8(ascii: ".")) {
      isInteger = false
      try digits()
    }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      isInteger = false
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      try digits()
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    guard let real = Double(text), real.isFinite else { throw malformed(.invalidNumber) }
    return .real(real)
  }

  /// The string whose opening quote is next.
  private mutating func string() throws(JSONMalformed) -> String {
    index += 1
    let start = index
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { index += 1 }
    var content = Array(bytes[start..<index])
    while !skip(UInt8(ascii: "\"")) {
      guard let byte = next else { throw malformed(.endOfText) }
      guard byte >= 0x20 else { throw malformed(.invalidString) }
      index += 1
      if byte == UInt8(ascii: "\\") { try appendEscape(to: &content) } else { content.append(byte) }
    }
    guard let text = String(validating: content, as: UTF8.self) else { throw malformed(.invalidString) }
    return text
  }

  private mutating func appendEscape(to content: inout [UInt8]) throws(JSONMalformed) {
    guard let letter = next else { throw malformed(.endOfText) }
    index += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(letter)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"): content += Array(String(Character(try escapedScalar())).utf8)
    default: throw malformed(.invalidString)
    }
  }

  /// The scalar of `XXXX` behind `\u`, or of a whole surrogate pair.
  private mutating func escapedScalar() throws(JSONMalformed) -> Unicode.Scalar {
    let unit = try fourHexDigits()
    guard 0xD800...0xDBFF ~= unit else {
      guard let scalar = Unicode.Scalar(unit) else { throw malformed(.invalidString) }
      return scalar
    }
    guard skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else { throw malformed(.invalidString) }
    let low = try fourHexDigits()
    guard 0xDC00...0xDFFF ~= low, let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) else {
      throw malformed(.invalidString)
    }
    return scalar
  }

  private mutating func fourHexDigits() throws(JSONMalformed) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Hex.value(of: byte) else { throw malformed(.invalidString) }
      unit = unit << 4 | UInt32(digit)
      index += 1
    }
    return unit
  }
}
