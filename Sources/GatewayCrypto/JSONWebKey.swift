import GatewayBase

/// A public key as JSON (RFC 7517) that the gateway may use: it has an id, and is an RSA or P-256 key for signatures.
package struct JSONWebKey: Sendable, Equatable {
  package let kid: String
  let material: VerifyingKey.Material

  /// One of our own keys: its id is its thumbprint.
  init(x: [UInt8], y: [UInt8]) {
    material = .p256(x: x, y: y)
    kid = Base64URL.encode(Digest.sha256(Array("{\(Self.members(of: material))}".utf8)))
  }

  /// An RSA key of our own under an id that its owner chose.
  init(kid: String, modulus: [UInt8], exponent: [UInt8]) {
    material = .rsa(modulus: modulus, exponent: exponent)
    self.kid = kid
  }

  /// A key of a foreign set.
  ///
  /// - Returns: nil for a key that the gateway must not or can't use: without `kid`; of another type or curve; not meant
  ///   for signatures (`use`, `key_ops`, `alg`); with a private part, which then others know too; with malformed members.
  init?(_ json: JSONValue) {
    guard let kid = json["kid"]?.string, !kid.isEmpty, json["d"] == nil,
      Self.isAbsent(json["use"], or: { $0.string == "sig" }),
      Self.isAbsent(json["key_ops"], or: { $0.array?.contains(.string("verify")) == true }),
      let (material, algorithm) = Self.material(of: json),
      Self.isAbsent(json["alg"], or: { $0.string == algorithm.rawValue })
    else { return nil }
    self.kid = kid
    self.material = material
  }

  private static func isAbsent(_ member: JSONValue?, or holds: (JSONValue) -> Bool) -> Bool {
    member.map(holds) ?? true
  }

  private static func material(of json: JSONValue) -> (VerifyingKey.Material, SignatureAlgorithm)? {
    func number(_ name: String) -> [UInt8]? { json[name]?.string.flatMap { Base64URL.decode(Array($0.utf8)) } }
    switch json["kty"]?.string {
    case "RSA":
      guard let modulus = number("n"), let exponent = number("e") else { return nil }
      return (.rsa(modulus: modulus, exponent: exponent), .rs256)
    case "EC":
      guard json["crv"]?.string == "P-256", let x = number("x"), let y = number("y") else { return nil }
      return (.p256(x: x, y: y), .es256)
    default: return nil
    }
  }

  /// The required members in the order of their names, without blanks: what a thumbprint is made of (RFC 7638 section 3.2).
  private static func members(of material: VerifyingKey.Material) -> String {
    switch material {
    case .rsa(let modulus, let exponent):
      "\"e\":\"\(Base64URL.encode(exponent))\",\"kty\":\"RSA\",\"n\":\"\(Base64URL.encode(modulus))\""
    case .p256(let x, let y):
      "\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(Base64URL.encode(x))\",\"y\":\"\(Base64URL.encode(y))\""
    }
  }

  /// The key as a JSON object.
  package var jsonText: String {
    let algorithm: SignatureAlgorithm = if case .rsa = material { .rs256 } else { .es256 }
    return
      "{\"kid\":\(JSONText.quoted(kid)),\"use\":\"sig\",\"alg\":\"\(algorithm.rawValue)\",\(Self.members(of: material))}"
  }
}
