/// What a message is made of on the wire between the gateway and a plugin's process: numbers, texts, bytes, lists and maps.
///
/// Each value is a byte that tells its kind, then its content; lengths, counts and whole numbers have seven bits a byte,
/// least first (LEB128, whole numbers in zigzag). The other side may be hostile, so reading trusts nothing: a length is
/// compared with what is there before anything is made of it.
indirect enum MessageValue: Sendable, Equatable {
  case null
  case flag(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  case list([MessageValue])
  case map([String: MessageValue])

  /// Levels of lists and maps that are read.
  static let depth = 32

  enum Kind: UInt8 {
    case null, no, yes, integer, real, text, bytes, list, map
  }
}

/// Bytes that are no message.
package struct MessageFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong, in a few constant words.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Puts values behind each other.
struct MessageWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ kind: MessageValue.Kind) { bytes.append(kind.rawValue) }

  mutating func append(integer number: Int64) {
    append(.integer)
    append(number: UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  mutating func append(real number: Double) {
    append(.real)
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(shift)))
    }
  }

  mutating func append(text: String) {
    append(.text)
    append(key: text)
  }

  mutating func append(bytes content: [UInt8]) {
    append(.bytes)
    append(number: UInt64(content.count))
    bytes += content
  }

  mutating func append(_ kind: MessageValue.Kind, count: Int) {
    append(kind)
    append(number: UInt64(count))
  }

  mutating func append(key: String) {
    append(number: UInt64(key.utf8.count))
    bytes += key.utf8
  }

  private mutating func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// Reads values that stand behind each other.
struct MessageReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The one value that the bytes are.
  static func value(of bytes: [UInt8]) throws(MessageFault) -> MessageValue {
    var reader = MessageReader(bytes)
    let value = try reader.value(MessageValue.depth)
    guard reader.offset == bytes.count else { throw MessageFault("bytes follow the message") }
    return value
  }

  private mutating func value(_ depth: Int) throws(MessageFault) -> MessageValue {
    guard let kind = MessageValue.Kind(rawValue: try byte()) else { throw MessageFault("an unknown kind of value") }
    switch kind {
    case .null: return .null
    case .no: return .flag(false)
    case .yes: return .flag(true)
    case .integer:
      let number = try number()
      return .integer(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
    case .real:
      return .real(Double(bitPattern: try take(8).reduce(0) { $0 << 8 | UInt64($1) }))
    case .text: return .text(try text())
    case .bytes: return .bytes(Array(try take(try count(each: 1))))
    case .list:
      guard depth > 0 else { throw MessageFault("nested too deep") }
      var items: [MessageValue] = []
      for _ in 0..<(try count(each: 1)) { items.append(try value(depth - 1)) }
      return .list(items)
    case .map:
      guard depth > 0 else { throw MessageFault("nested too deep") }
      var members: [String: MessageValue] = [:]
      for _ in 0..<(try count(each: 2)) {
        let name = try text()
        guard members.updateValue(try value(depth - 1), forKey: name) == nil else {
          throw MessageFault("a name twice")
        }
      }
      return .map(members)
    }
  }

  private mutating func text() throws(MessageFault) -> String {
    guard let text = String(validating: try take(try count(each: 1)), as: UTF8.self) else {
      throw MessageFault("a text is not UTF-8")
    }
    return text
  }

  /// A number of things of which each takes some bytes at least.
  private mutating func count(each size: Int) throws(MessageFault) -> Int {
    let number = try number()
    guard number <= UInt64((bytes.count - offset) / size) else { throw MessageFault("cut short") }
    return Int(number)
  }

  private mutating func number() throws(MessageFault) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      let next = try byte()
      let part = UInt64(next & 0x7F)
      guard shift < 63 || part <= 1 else { throw MessageFault("a number is too large") }
      number |= part << shift
      if next < 0x80 { return number }
    }
    throw MessageFault("a number is too large")
  }

  private mutating func byte() throws(MessageFault) -> UInt8 {
    guard offset < bytes.count else { throw MessageFault("cut short") }
    defer { offset += 1 }
    return bytes[offset]
  }

  private mutating func take(_ count: Int) throws(MessageFault) -> ArraySlice<UInt8> {
    guard count <= bytes.count - offset else { throw MessageFault("cut short") }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }
}
