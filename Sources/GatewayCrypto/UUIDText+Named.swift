import GatewayBase

extension UUIDText {
  /// The name-based UUID of version 5 (RFC 9562 section 5.5): the same for the same name, on every node and for ever.
  package static func named(_ name: [UInt8], in namespace: UUIDText) -> UUIDText {
    UUIDText(bytes: Array(Digest.sha1(namespace.bytes + name).prefix(16)), version: 5)
  }
}
