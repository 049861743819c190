import GatewayBase
import ProviderKit

@testable import GatewayCrypto

/// CBOR as a test writes it.
indirect enum Item {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case list([Item])
  case map([(Item, Item)])
  /// As it is.
  case written([UInt8])

  var encoded: [UInt8] {
    switch self {
    case .integer(let number):
      number >= 0 ? Self.head(0, UInt64(number)) : Self.head(1, UInt64(-1 - number))
    case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
    case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
    case .list(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.encoded)
    case .map(let entries): Self.head(5, UInt64(entries.count)) + entries.flatMap { $0.encoded + $1.encoded }
    case .written(let bytes): bytes
    }
  }

  static func head(_ kind: UInt8, _ argument: UInt64) -> [UInt8] {
    switch argument {
    case 0..<24: [kind << 5 | UInt8(argument)]
    case 24..<256: [kind << 5 | 24, UInt8(argument)]
    default: [kind << 5 | 25, UInt8(argument >> 8 & 0xFF), UInt8(argument & 0xFF)]
    }
  }
}

/// An authenticator and the browser in front of it, with whatever a test wants to be wrong.
struct Authenticator {
  enum Key {
    case es256(SigningKey)
    case rs256(RSASigningKey)
  }

  static let challenge = PasskeyChallenge(
    bytes: Array(0..<32), relyingParty: "dash.example.com", origin: "https://dash.example.com")

  let key: Key
  let id: [UInt8] = Array(100..<116)

  var type: String?
  var challenge = Array<UInt8>(0..<32)
  var origin = "https://dash.example.com"
  var members: [(String, String)] = [("crossOrigin", "false")]
  var relyingParty = "dash.example.com"
  /// User present, user verified.
  var flags: UInt8 = 0x05
  var count: UInt32 = 1
  var format = "none"
  var extensions: Item?
  /// Bytes behind everything.
  var trailer: [UInt8] = []
  /// Instead of the key's own.
  var publicKey: Item?

  init(_ key: Key) { self.key = key }

  static func es256() throws -> Authenticator { Authenticator(.es256(try .generate())) }

  var coseKey: Item {
    if let publicKey { return publicKey }
    switch key {
    case .es256(let key):
      guard case .p256(let x, let y) = key.publicJWK.material else { return .map([]) }
      return Self.p256(x: x, y: y)
    case .rs256(let key):
      guard case .rsa(let modulus, let exponent) = key.publicJWK.material else { return .map([]) }
      return .map([
        (.integer(1), .integer(3)), (.integer(3), .integer(-257)), (.integer(-1), .bytes(modulus)),
        (.integer(-2), .bytes(exponent)),
      ])
    }
  }

  static func p256(x: [UInt8], y: [UInt8], algorithm: Int64 = -7) -> Item {
    .map([
      (.integer(1), .integer(2)), (.integer(3), .integer(algorithm)), (.integer(-1), .integer(1)),
      (.integer(-2), .bytes(x)), (.integer(-3), .bytes(y)),
    ])
  }

  func clientData(_ type: String) -> [UInt8] {
    let fixed = [
      ("type", "\"\(self.type ?? type)\""), ("challenge", "\"\(Base64URL.encode(challenge))\""),
      ("origin", "\"\(origin)\""),
    ]
    return Array(("{" + (fixed + members).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}").utf8)
  }

  func data(withKey: Bool) -> [UInt8] {
    var data = Digest.sha256(Array(relyingParty.utf8))
    data.append(flags | (withKey ? 0x40 : 0) | (extensions == nil ? 0 : 0x80))
    data += [24, 16, 8, 0].map { UInt8(count >> $0 & 0xFF) }
    if withKey { data += [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)] + id + coseKey.encoded }
    return data + (extensions?.encoded ?? []) + trailer
  }

  func signature(of data: [UInt8], _ clientData: [UInt8]) throws -> [UInt8] {
    let message = data + Digest.sha256(clientData)
    switch key {
    case .es256(let key): return ECDSASignature.der(raw: try key.sign(message)) ?? []
    case .rs256(let key): return try key.sign(message)
    }
  }

  func registration() throws -> PasskeyRegistration {
    let (client, data) = (clientData("webauthn.create"), data(withKey: true))
    let algorithm: Int64 = if case .es256 = key { -7 } else { -257 }
    let statement: [(Item, Item)] =
      format == "none"
      ? [] : [(.text("alg"), .integer(algorithm)), (.text("sig"), .bytes(try signature(of: data, client)))]
    return PasskeyRegistration(clientData: client, attestation: Self.object(format, statement, data))
  }

  static func object(_ format: String, _ statement: [(Item, Item)], _ data: [UInt8]) -> [UInt8] {
    Item.map([
      (.text("fmt"), .text(format)), (.text("attStmt"), .map(statement)), (.text("authData"), .bytes(data)),
    ]).encoded
  }

  func assertion() throws -> PasskeyAssertion {
    let (client, data) = (clientData("webauthn.get"), data(withKey: false))
    return PasskeyAssertion(
      clientData: client, authenticatorData: data, signature: try signature(of: data, client))
  }

  /// As it would have been registered.
  func passkey(count: UInt32 = 0, isBackedUp: Bool = false) -> Passkey {
    Passkey(id: id, publicKey: coseKey.encoded, signCount: count, isBackedUp: isBackedUp)
  }
}
