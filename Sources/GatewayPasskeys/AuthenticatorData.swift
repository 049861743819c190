/// What an authenticator says and signs (WebAuthn section 6.1).
struct AuthenticatorData {
  /// A new credential in it (section 6.5.1).
  struct Credential {
    let id: [UInt8]
    /// COSE_Key, as it is written.
    let publicKey: [UInt8]
  }

  private static let headBytes = 37

  let relyingPartyHash: [UInt8]
  private let flags: UInt8
  let signCount: UInt32
  /// Nil where there is none.
  let credential: Credential?
  /// What the authenticator's extensions say; nil where none does.
  let extensions: CBORReader.Value?

  var isUserPresent: Bool { flags & 0x01 != 0 }
  var isUserVerified: Bool { flags & 0x04 != 0 }
  /// Whether the credential may be kept at more than one place.
  var mayBeBackedUp: Bool { flags & 0x08 != 0 }
  private var isBackedUp: Bool { flags & 0x10 != 0 }

  /// - Throws: `CBORReader.Malformed` where it is none, or bytes follow it.
  init(_ bytes: [UInt8]) throws(CBORReader.Malformed) {
    guard bytes.count >= Self.headBytes else { throw CBORReader.Malformed() }
    relyingPartyHash = Array(bytes[0..<32])
    flags = bytes[32]
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var offset = Self.headBytes
    if flags & 0x40 != 0 {
      // 16 bytes of the model's number, two of the length.
      guard bytes.count >= offset + 18 else { throw CBORReader.Malformed() }
      let count = Int(bytes[offset + 16]) << 8 | Int(bytes[offset + 17])
      offset += 18
      guard (1...1023).contains(count), bytes.count >= offset + count else { throw CBORReader.Malformed() }
      let id = Array(bytes[offset..<offset + count])
      offset += count
      var reader = CBORReader(bytes, from: offset)
      _ = try reader.value()
      credential = Credential(id: id, publicKey: Array(bytes[offset..<reader.offset]))
      offset = reader.offset
    } else {
      credential = nil
    }
    if flags & 0x80 != 0 {
      var reader = CBORReader(bytes, from: offset)
      let value = try reader.value()
      guard case .map = value else { throw CBORReader.Malformed() }
      extensions = value
      offset = reader.offset
    } else {
      extensions = nil
    }
    // Kept elsewhere, and not allowed to be.
    guard offset == bytes.count, mayBeBackedUp || !isBackedUp else { throw CBORReader.Malformed() }
  }
}
