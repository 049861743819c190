/// Reads CBOR (RFC 8949) as WebAuthn writes it: items of known length, whole numbers, byte and text strings, lists, maps
/// and the simple values. Anything else, and what is cut short or nested deeper than `depth`, is refused.
struct CBORReader {
  indirect enum Value: Equatable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case list([Value])
    case map([Entry])
    case simple(UInt8)

    struct Entry: Equatable {
      let key: Value
      let value: Value
    }

    /// The value under a key of a map; nil where there is none, or this is no map.
    subscript(_ key: Value) -> Value? {
      guard case .map(let entries) = self else { return nil }
      return entries.first { $0.key == key }?.value
    }

    subscript(_ key: Int64) -> Value? { self[.integer(key)] }
    subscript(_ key: String) -> Value? { self[.text(key)] }

    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
  }

  /// The bytes are no such item.
  struct Malformed: Error {}

  /// Levels of lists and maps.
  private static let depth = 8
  /// Entries of a map: each key is compared with all before it.
  private static let entries: UInt64 = 64

  private let bytes: [UInt8]
  /// Where the next item begins.
  private(set) var offset: Int

  init(_ bytes: [UInt8], from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  var isAtEnd: Bool { offset == bytes.count }

  /// The next item.
  mutating func value() throws(Malformed) -> Value { try value(Self.depth) }

  /// The entries of a map whose keys are texts, each value with the bytes that it is written in.
  mutating func members() throws(Malformed) -> [String: (value: Value, written: [UInt8])] {
    let (kind, count) = try head()
    guard kind == 5, count <= Self.entries else { throw Malformed() }
    var members: [String: (value: Value, written: [UInt8])] = [:]
    for _ in 0..<count {
      guard let name = try value(Self.depth).text, members[name] == nil else { throw Malformed() }
      let start = offset
      members[name] = (try value(Self.depth), Array(bytes[start..<offset]))
    }
    return members
  }

  private mutating func value(_ depth: Int) throws(Malformed) -> Value {
    guard depth > 0 else { throw Malformed() }
    let (kind, argument) = try head()
    switch kind {
    case 0:
      guard let number = Int64(exactly: argument) else { throw Malformed() }
      return .integer(number)
    case 1:
      guard let number = Int64(exactly: argument) else { throw Malformed() }
      return .integer(-1 - number)
    case 2: return .bytes(try take(argument))
    case 3:
      guard let text = String(validating: try take(argument), as: UTF8.self) else { throw Malformed() }
      return .text(text)
    case 4:
      // Each item has a byte at least.
      guard argument <= UInt64(bytes.count - offset) else { throw Malformed() }
      var items: [Value] = []
      for _ in 0..<argument { items.append(try value(depth - 1)) }
      return .list(items)
    case 5:
      guard argument <= Self.entries else { throw Malformed() }
      var entries: [Value.Entry] = []
      for _ in 0..<argument {
        let key = try value(depth - 1)
        guard !entries.contains(where: { $0.key == key }) else { throw Malformed() }
        entries.append(Value.Entry(key: key, value: try value(depth - 1)))
      }
      return .map(entries)
    case 7:
      guard let simple = UInt8(exactly: argument), (20...23).contains(simple) else { throw Malformed() }
      return .simple(simple)
    default: throw Malformed()
    }
  }

  /// The kind of the next item and the number that comes with it.
  private mutating func head() throws(Malformed) -> (kind: UInt8, argument: UInt64) {
    guard offset < bytes.count else { throw Malformed() }
    let first = bytes[offset]
    offset += 1
    let (kind, short) = (first >> 5, first & 0x1F)
    guard short >= 24 else { return (kind, UInt64(short)) }
    // Of kind 7 these would be floating-point numbers and simple values that nobody has.
    guard short <= 27, kind != 7 else { throw Malformed() }
    let count = 1 << Int(short - 24)
    let argument = try take(UInt64(count)).reduce(0) { $0 << 8 | UInt64($1) }
    return (kind, argument)
  }

  private mutating func take(_ count: UInt64) throws(Malformed) -> [UInt8] {
    guard count <= UInt64(bytes.count - offset) else { throw Malformed() }
    defer { offset += Int(count) }
    return Array(bytes[offset..<offset + Int(count)])
  }
}
