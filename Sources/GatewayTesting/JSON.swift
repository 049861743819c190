import FoundationEssentials

/// Any JSON text as a value, read and written by code that is not the gateway's own.
package enum JSON: Sendable, Equatable, Codable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// - Throws: `TestFailure` where the bytes are no JSON text; the bytes are not repeated, as they may hold a token.
  package init(parsing bytes: [UInt8]) throws {
    do {
      self = try JSONDecoder().decode(JSON.self, from: Data(bytes))
    } catch {
      throw TestFailure("not JSON: \(bytes.count) bytes")
    }
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let items = try? container.decode([JSON].self) {
      self = .array(items)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let items): try container.encode(items)
    case .object(let members): try container.encode(members)
    }
  }

  /// The value as JSON text.
  package var bytes: [UInt8] {
    guard let data = try? JSONEncoder().encode(self) else { preconditionFailure("a JSON value always encodes") }
    return Array(data)
  }

  /// A member of an object, an element of an array; null for anything else, as JavaScript's `undefined` would be.
  package subscript(_ name: String) -> JSON {
    if case .object(let members) = self { members[name] ?? .null } else { .null }
  }

  package subscript(_ index: Int) -> JSON {
    if case .array(let items) = self, items.indices.contains(index) { items[index] } else { .null }
  }

  package var string: String? { if case .string(let text) = self { text } else { nil } }
  package var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
  package var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  package var items: [JSON] { if case .array(let items) = self { items } else { [] } }
  package var names: Set<String> { if case .object(let members) = self { Set(members.keys) } else { [] } }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(nilLiteral: ()) { self = .null }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}
