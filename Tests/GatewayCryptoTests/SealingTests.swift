import GatewayBase
import GatewayCrypto
import Testing

@Suite("Sealing") struct SealingTests {
  private let key = SealingKey.generate()
  private let secret = Array("a refresh token".utf8)
  private let context = Array("user-1 client-1".utf8)

  @Test("a sealed secret opens with the same key and context alone")
  func roundTrip() throws {
    let sealed = try key.seal(secret, context: context)
    #expect(sealed.count == secret.count + SealingKey.overhead)
    #expect(key.open(sealed, context: context) == secret)
    #expect(key.open(sealed, context: Array("user-2 client-1".utf8)) == nil)
    #expect(SealingKey.generate().open(sealed, context: context) == nil)
    #expect(key.open(try key.seal([], context: []), context: []) == [])
  }

  @Test("no byte of a sealed secret can be changed, left out or added")
  func changed() throws {
    let sealed = try key.seal(secret, context: context)
    for index in sealed.indices {
      var other = sealed
      other[index] ^= 1
      #expect(key.open(other, context: context) == nil)
      #expect(key.open(Array(sealed.prefix(index)), context: context) == nil)
    }
    #expect(key.open(sealed + [0], context: context) == nil)
  }

  @Test("one secret is never sealed alike twice, and shows nothing of itself")
  func nonce() throws {
    let first = try key.seal(secret, context: context)
    #expect(try key.seal(secret, context: context) != first)
    #expect(first.firstRange(of: secret) == nil)
  }

  @Test("a known vector opens (NIST GCM, 256-bit key, test case 16)")
  func vector() throws {
    func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex.utf8)) }
    let key = try #require(
      SealingKey(Secret(try bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))))
    let sealed = try bytes(
      "cafebabefacedbaddecaf888"
        + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e63"
        + "93ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b")
    let opened = key.open(sealed, context: try bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
    #expect(
      opened.map { Hex.encode($0) }
        == "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0d"
        + "e657ba637b39")
  }

  @Test("a key has 32 bytes", arguments: [0, 16, 31, 33])
  func length(count: Int) { #expect(SealingKey(Secret([UInt8](repeating: 1, count: count))) == nil) }
}

@Suite("Keys as other tools leave them") struct PrivateKeyTextTests {
  @Test("B93 every shape that line ends are left in is one key")
  func shapes() throws {
    let key = try SigningKey.generate()
    let pem = String(decoding: try key.pem().reveal(), as: UTF8.self)
    let lines = pem.split(separator: "\n").map(String.init)
    let body = lines.dropFirst().dropLast()
    let whole = Base64Text.encode(Array(pem.utf8))
    let shapes = [
      pem, lines.joined(separator: "\n"), lines.joined(separator: "\r\n") + "\r\n", lines.joined(separator: "\\n"),
      lines.joined(separator: "\\r\\n"), lines.joined(separator: " "), lines.joined(), "\n\n  " + pem + "\n\n",
      lines[0] + body.joined() + (lines.last ?? ""), body.joined(), body.joined(separator: "\n"), whole,
      body.joined().replacing("=", with: ""),
    ]
    for (index, text) in shapes.enumerated() {
      #expect(try SigningKey(anyShape: Secret(text.utf8)).kid == key.kid, "shape \(index)")
    }
  }

  @Test("B97 a path, a key's id, half a key, a certificate or another kind of key is none")
  func foreign() throws {
    let pem = String(decoding: try SigningKey.generate().pem().reveal(), as: UTF8.self)
    for text in [
      "", " ", "secrets/AuthKey_KEY1234567.p8", "/etc/keys/AuthKey.p8", "KEY1234567", String(pem.prefix(pem.count / 2)),
      pem.replacing("PRIVATE", with: "PUBLIC"), "-----BEGIN PRIVATE KEY-----",
      "-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----",
      Fixtures.p384PrivateKey, Fixtures.ed25519PrivateKey, Fixtures.encryptedPrivateKey, "====", "\\n\\n",
    ] {
      #expect(throws: CryptoError.self) { try SigningKey(anyShape: Secret(text.utf8)) }
    }
  }
}

private enum Base64Text {
  static func encode(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes).replacing("-", with: "+").replacing("_", with: "/")
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }
}
