/// Turns the values of ProviderKit into bytes and back, by their `Codable`.
package enum MessageCoder {
  /// - Throws: for a value that holds what no message has, such as a number over 63 bits.
  package static func encode(_ value: some Encodable) throws(MessageFault) -> [UInt8] {
    let node = MessageNode()
    do {
      try node.encode(value)
    } catch {
      throw error as? MessageFault ?? MessageFault("a value can't be encoded")
    }
    var writer = MessageWriter()
    node.write(to: &writer)
    return writer.bytes
  }

  /// - Throws: for bytes that are no such value.
  package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(MessageFault) -> Value {
    let value = try MessageReader.value(of: bytes)
    do {
      return try MessageSource(value).decode(type)
    } catch {
      throw error as? MessageFault ?? MessageFault("the message is another one")
    }
  }
}

/// A key that is an index, or that is known by its text alone.
struct MessageKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  static let `super` = MessageKey(stringValue: "super")
}
