/// A value on its way to bytes. `Encoder` hands out containers that outlive the call which made them, hence a class: it
/// never leaves one call of `MessageCoder.encode`.
final class MessageNode {
  private enum Content {
    case value(MessageValue)
    case list([MessageNode])
    case map([String: MessageNode])
  }

  private var content = Content.value(.null)

  func set(_ value: MessageValue) { content = .value(value) }

  func set(_ number: some BinaryInteger) throws(MessageFault) {
    guard let integer = Int64(exactly: number) else { throw MessageFault("a number is too large") }
    set(.integer(integer))
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    // Without this each byte would be a number of its own. The type decides, as any empty array can be cast.
    if Value.self == [UInt8].self, let bytes = value as? [UInt8] {
      set(.bytes(bytes))
    } else {
      try value.encode(to: MessageEncoder(node: self))
    }
  }

  func becomeList() { if case .list = content {} else { content = .list([]) } }

  func becomeMap() { if case .map = content {} else { content = .map([:]) } }

  var count: Int { if case .list(let items) = content { items.count } else { 0 } }

  func addItem() -> MessageNode {
    let item = MessageNode()
    guard case .list(var items) = content else { return item }
    content = .value(.null)
    items.append(item)
    content = .list(items)
    return item
  }

  func addMember(_ name: String) -> MessageNode {
    let member = MessageNode()
    guard case .map(var members) = content else { return member }
    content = .value(.null)
    members[name] = member
    content = .map(members)
    return member
  }

  func write(to writer: inout MessageWriter) {
    switch content {
    case .value(let value): Self.write(value, to: &writer)
    case .list(let items):
      writer.append(.list, count: items.count)
      for item in items { item.write(to: &writer) }
    case .map(let members):
      writer.append(.map, count: members.count)
      for (name, member) in members {
        writer.append(key: name)
        member.write(to: &writer)
      }
    }
  }

  private static func write(_ value: MessageValue, to writer: inout MessageWriter) {
    switch value {
    case .flag(let flag): writer.append(flag ? .yes : .no)
    case .integer(let number): writer.append(integer: number)
    case .real(let number): writer.append(real: number)
    case .text(let text): writer.append(text: text)
    case .bytes(let bytes): writer.append(bytes: bytes)
    case .null, .list, .map: writer.append(.null)
    }
  }
}

/// What `Encodable` writes a value of a message with.
struct MessageEncoder: Encoder {
  let node: MessageNode
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeMap()
    return KeyedEncodingContainer(Members<Key>(node: node))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeList()
    return Items(node: node)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node) }

  private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: MessageNode
    var codingPath: [any CodingKey] { [] }

    func member(_ key: some CodingKey) -> Single { Single(node: node.addMember(key.stringValue)) }

    func encodeNil(forKey key: Key) { member(key).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: String, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: Double, forKey key: Key) { member(key).encode(value) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try member(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      MessageEncoder(node: node.addMember(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      MessageEncoder(node: node.addMember(key.stringValue)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { MessageEncoder(node: node.addMember(MessageKey.super.stringValue)) }
    func superEncoder(forKey key: Key) -> any Encoder { MessageEncoder(node: node.addMember(key.stringValue)) }
  }

  private struct Items: UnkeyedEncodingContainer {
    let node: MessageNode
    var codingPath: [any CodingKey] { [] }
    var count: Int { node.count }

    private func item() -> Single { Single(node: node.addItem()) }

    func encodeNil() { item().encodeNil() }
    func encode<T: Encodable>(_ value: T) throws { try item().encode(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      MessageEncoder(node: node.addItem()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      MessageEncoder(node: node.addItem()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { MessageEncoder(node: node.addItem()) }
  }

  private struct Single: SingleValueEncodingContainer {
    let node: MessageNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { node.set(.null) }
    func encode(_ value: Bool) { node.set(.flag(value)) }
    func encode(_ value: String) { node.set(.text(value)) }
    func encode(_ value: Double) { node.set(.real(value)) }
    func encode(_ value: Float) { node.set(.real(Double(value))) }
    func encode(_ value: Int) throws { try node.set(value) }
    func encode(_ value: Int8) throws { try node.set(value) }
    func encode(_ value: Int16) throws { try node.set(value) }
    func encode(_ value: Int32) throws { try node.set(value) }
    func encode(_ value: Int64) throws { try node.set(value) }
    func encode(_ value: UInt) throws { try node.set(value) }
    func encode(_ value: UInt8) throws { try node.set(value) }
    func encode(_ value: UInt16) throws { try node.set(value) }
    func encode(_ value: UInt32) throws { try node.set(value) }
    func encode(_ value: UInt64) throws { try node.set(value) }
    func encode<T: Encodable>(_ value: T) throws { try node.encode(value) }
  }
}
