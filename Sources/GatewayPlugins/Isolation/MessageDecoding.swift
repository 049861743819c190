/// What `Decodable` reads a value of a message from.
struct MessageSource: Decoder {
  private let value: MessageValue
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: MessageValue) { self.value = value }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type == [UInt8].self, case .bytes(let bytes) = value, let result = bytes as? Value { return result }
    return try Value(from: self)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .map(let members) = value else { throw Self.another }
    return KeyedDecodingContainer(Members<Key>(members: members))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let items) = value else { throw Self.another }
    return Items(items: items)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(source: self) }

  fileprivate static let another = MessageFault("the message is another one")

  fileprivate func flag() throws -> Bool {
    guard case .flag(let flag) = value else { throw Self.another }
    return flag
  }

  fileprivate func text() throws -> String {
    guard case .text(let text) = value else { throw Self.another }
    return text
  }

  fileprivate func real() throws -> Double {
    guard case .real(let number) = value else { throw Self.another }
    return number
  }

  fileprivate func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    guard case .integer(let integer) = value, let number = Number(exactly: integer) else { throw Self.another }
    return number
  }

  fileprivate var isNull: Bool { value == .null }

  private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: MessageValue]
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    private func member(_ key: some CodingKey) throws -> MessageSource {
      guard let value = members[key.stringValue] else { throw MessageSource.another }
      return MessageSource(value)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).flag() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).text() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).real() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try member(MessageKey.super) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
  }

  private struct Items: UnkeyedDecodingContainer {
    let items: [MessageValue]
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    init(items: [MessageValue]) { self.items = items }

    private mutating func next() throws -> MessageSource {
      guard !isAtEnd else { throw MessageSource.another }
      defer { currentIndex += 1 }
      return MessageSource(items[currentIndex])
    }

    mutating func decodeNil() throws -> Bool {
      guard !isAtEnd else { throw MessageSource.another }
      guard items[currentIndex] == .null else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }
  }

  private struct Single: SingleValueDecodingContainer {
    let source: MessageSource
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { source.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try source.flag() }
    func decode(_ type: String.Type) throws -> String { try source.text() }
    func decode(_ type: Double.Type) throws -> Double { try source.real() }
    func decode(_ type: Float.Type) throws -> Float { Float(try source.real()) }
    func decode(_ type: Int.Type) throws -> Int { try source.integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try source.integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try source.integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try source.integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try source.integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try source.integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try source.integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try source.integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try source.integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try source.integer(type) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try source.decode(type) }
  }
}
