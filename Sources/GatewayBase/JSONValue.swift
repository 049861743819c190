/// A JSON text as a value (RFC 8259), for what is read on the slow path: token headers, claims, key sets, bodies.
///
/// Reading is strict, so that two readers can't see two meanings in one text: a name given twice, invalid UTF-8,
/// a lone surrogate, trailing bytes and nesting beyond `Limits.jsonDepth` are refused.
package enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A number written without fraction and exponent, within 64 bits.
  case integer(Int64)
  /// Any other number; always finite.
  case real(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  package init(parsing bytes: [UInt8]) throws(JSONMalformed) {
    var parser = JSONParser(bytes)
    self = try parser.wholeText()
  }

  /// The member of this name; nil where it is absent or this is no object.
  package subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  package var string: String? { if case .string(let text) = self { text } else { nil } }
  package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  package var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  package var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  package var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}

/// Why a text is no JSON, or none that is safe to act on. It holds nothing of the text.
package struct JSONMalformed: Error, Sendable, Equatable {
  /// Bytes before the fault.
  package let offset: Int
  package let reason: Reason

  package enum Reason: String, Sendable {
    case endOfText = "the text ends too early"
    case unexpectedByte = "an unexpected byte"
    case trailingBytes = "bytes after the value"
    case invalidNumber = "an invalid or too large number"
    case invalidString = "a string with a bad escape, a control character or invalid UTF-8"
    case duplicateName = "a name given twice in one object"
    case tooDeep = "nested too deeply"
  }
}
