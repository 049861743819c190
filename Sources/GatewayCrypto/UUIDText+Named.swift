import GatewayBase

extension UUIDText {
  /// The name-based UUID of version 5 (RFC 9562 section 5.5): the same for the same name, on every node and for ever.
  package static func named(_ name: [UInt8], in namespace: UUIDText) -> UUIDText {
    UUIDText(bytes: Array(Digest.sha1(namespace.bytes + name).prefix(16)), version: 5)
  }

  /// RFC 9562 section 6.6: the namespace of names that are URLs.
  package static let urlNamespace = UUIDText(
    bytes: [0x6B, 0xA7, 0xB8, 0x11, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0x00, 0xC0, 0x4F, 0xD4, 0x30, 0xC8],
    version: 1)
}
