import GatewayBase
import ProviderKit
import Testing

@testable import GatewayCrypto
@testable import GatewayPasskeys

@Suite("Passkeys") struct PasskeyCheckTests {
  private let challenge = Authenticator.challenge

  private func register(
    _ change: (inout Authenticator) -> Void = { _ in }
  ) throws -> (Authenticator, Result<Passkey, PasskeyFailure>) {
    var authenticator = try Authenticator.es256()
    change(&authenticator)
    let registration = try authenticator.registration()
    return (
      authenticator, Result { () throws(PasskeyFailure) in try PasskeyCheck.register(registration, for: challenge) }
    )
  }

  private func reason<Value>(_ result: Result<Value, PasskeyFailure>) -> String {
    if case .failure(let failure) = result { failure.reason } else { "" }
  }

  @Test(
    "a new passkey is taken without an attestation, and with one that it has signed itself",
    arguments: ["none", "packed"])
  func registers(_ format: String) throws {
    let (authenticator, result) = try register { $0.format = format }
    let passkey = try result.get()
    #expect(
      passkey
        == Passkey(id: authenticator.id, publicKey: authenticator.coseKey.encoded, signCount: 1, isBackedUp: false))
    let (_, synced) = try register { $0.flags = 0x1D }
    #expect(try synced.get().isBackedUp)
  }

  @Test("an attestation by a maker's certificate is taken where it is well signed", arguments: [false, true])
  func certified(_ isProtected: Bool) throws {
    let attestation = isProtected ? Vectors.protected : Vectors.certified
    let client = try Authenticator.es256().clientData("webauthn.create")
    let good = PasskeyRegistration(clientData: client, attestation: attestation)
    #expect(try PasskeyCheck.register(good, for: challenge).id == Array(0..<16))
    // Another byte of what is signed: the model's number.
    let at = try #require(
      attestation.indices.last {
        attestation[$0...].starts(with: [0x41 | 0x04, 0, 0, 0, 1])
          || attestation[$0...].starts(with: [0xC5, 0, 0, 0, 1])
      })
    var changed = attestation
    changed[at + 5] ^= 1
    #expect(throws: PasskeyFailure("the attestation is not well signed")) {
      try PasskeyCheck.register(PasskeyRegistration(clientData: client, attestation: changed), for: challenge)
    }
  }

  @Test("RS256 and EdDSA are taken besides ES256")
  func algorithms() throws {
    let rsa = Authenticator(.rs256(try .generate(kid: "k")))
    let passkey = try PasskeyCheck.register(try rsa.registration(), for: challenge)
    #expect(
      try PasskeyCheck.verify(
        try { () throws in
          var a = rsa; a.count = 2; return try a.assertion()
        }(), of: passkey, for: challenge
      ).signCount == 2)

    let kept = Passkey(id: [1], publicKey: Vectors.edDSAKey, signCount: 6, isBackedUp: false)
    let client = try Authenticator.es256().clientData("webauthn.get")
    let assertion = PasskeyAssertion(
      clientData: client, authenticatorData: Vectors.edDSAData, signature: Vectors.edDSASignature)
    #expect(try PasskeyCheck.verify(assertion, of: kept, for: challenge).signCount == 7)
    let other = PasskeyAssertion(
      clientData: client, authenticatorData: Vectors.edDSAData, signature: Vectors.edDSASignature.reversed())
    #expect(throws: PasskeyFailure("the signature is not good")) {
      try PasskeyCheck.verify(other, of: kept, for: challenge)
    }
  }

  @Test("a registration with one wrong part is refused")
  func wrongRegistrations() throws {
    let changes: [(String, (inout Authenticator) -> Void)] = [
      ("the answer is to another question", { $0.type = "webauthn.get" }),
      ("the challenge is another one", { $0.challenge[31] ^= 1 }),
      ("the challenge is another one", { $0.challenge = [] }),
      ("the origin is another one", { $0.origin = "https://dash.example.com.evil.example" }),
      ("the origin is another one", { $0.origin = "http://dash.example.com" }),
      ("the page was shown in another one", { $0.members = [("crossOrigin", "true")] }),
      ("the page was shown in another one", { $0.members = [("crossOrigin", "\"false\"")] }),
      ("the page was shown in another one", { $0.members = [("topOrigin", "\"https://evil.example\"")] }),
      ("the browser's part is malformed", { $0.members = [("origin", "\"https://dash.example.com\"")] }),
      ("the relying party is another one", { $0.relyingParty = "example.com" }),
      ("the person was not there", { $0.flags = 0x04 }),
      ("the person was not verified", { $0.flags = 0x01 }),
      ("the authenticator's part is malformed", { $0.flags = 0x15 }),
      ("the authenticator's part is malformed", { $0.trailer = [0] }),
      ("the authenticator's part is malformed", { $0.extensions = .integer(1) }),
      ("the attestation is of a kind that was not asked for", { $0.format = "fido-u2f" }),
      ("the key is none of those taken", { $0.publicKey = .map([(.integer(1), .integer(2))]) }),
      (
        "the key is none of those taken",
        { $0.publicKey = Authenticator.p256(x: .init(repeating: 1, count: 32), y: .init(repeating: 1, count: 32)) }
      ),
      (
        "the key is none of those taken",
        { $0.publicKey = Authenticator.p256(x: .init(repeating: 1, count: 31), y: .init(repeating: 1, count: 32)) }
      ),
    ]
    for (expected, change) in changes { #expect(reason(try register(change).1) == expected) }
    let (_, es384) = try register { authenticator in
      guard case .es256(let key) = authenticator.key, case .p256(let x, let y) = key.publicJWK.material else { return }
      authenticator.publicKey = Authenticator.p256(x: x, y: y, algorithm: -35)
    }
    #expect(reason(es384) == "the key is none of those taken")
  }

  @Test("an attestation that another key has signed, and one that says nothing where it should, are refused")
  func wrongStatements() throws {
    let (authenticator, other) = (try Authenticator.es256(), try Authenticator.es256())
    let (client, data) = (authenticator.clientData("webauthn.create"), authenticator.data(withKey: true))
    let signature = try other.signature(of: data, client)
    func check(_ format: String, _ statement: [(Item, Item)]) -> String {
      let registration = PasskeyRegistration(
        clientData: client, attestation: Authenticator.object(format, statement, data))
      return reason(Result { () throws(PasskeyFailure) in try PasskeyCheck.register(registration, for: challenge) })
    }
    let foreign: [(Item, Item)] = [(.text("alg"), .integer(-7)), (.text("sig"), .bytes(signature))]
    #expect(check("packed", foreign) == "the attestation is not well signed")
    #expect(check("packed", []) == "the attestation is not well signed")
    #expect(check("none", foreign) == "the attestation is malformed")
    #expect(check("none", []) == "")
  }

  @Test("a sign-in raises the count, and one that does not count stays at zero")
  func assertions() throws {
    var authenticator = try Authenticator.es256()
    authenticator.count = 9
    let passkey = authenticator.passkey(count: 3)
    let after = try PasskeyCheck.verify(try authenticator.assertion(), of: passkey, for: challenge)
    #expect(after == authenticator.passkey(count: 9))
    #expect(throws: PasskeyFailure("the count of signatures has not gone up")) {
      try PasskeyCheck.verify(try authenticator.assertion(), of: after, for: challenge)
    }
    authenticator.count = 0
    #expect(throws: PasskeyFailure("the count of signatures has not gone up")) {
      try PasskeyCheck.verify(try authenticator.assertion(), of: after, for: challenge)
    }
    #expect(
      try PasskeyCheck.verify(try authenticator.assertion(), of: authenticator.passkey(), for: challenge).signCount == 0
    )
  }

  @Test("a sign-in with one wrong part is refused")
  func wrongAssertions() throws {
    let changes: [(String, (inout Authenticator) -> Void)] = [
      ("the answer is to another question", { $0.type = "webauthn.create" }),
      ("the challenge is another one", { $0.challenge[0] ^= 1 }),
      ("the origin is another one", { $0.origin = "https://example.com" }),
      ("the page was shown in another one", { $0.members = [("crossOrigin", "true")] }),
      ("the relying party is another one", { $0.relyingParty = "evil.example" }),
      ("the person was not there", { $0.flags = 0x04 }), ("the person was not verified", { $0.flags = 0x01 }),
      ("where the passkey may be kept has changed", { $0.flags = 0x0D }),
      ("the authenticator's part is malformed", { $0.trailer = [0] }),
    ]
    for (expected, change) in changes {
      var authenticator = try Authenticator.es256()
      let passkey = authenticator.passkey()
      change(&authenticator)
      let assertion = try authenticator.assertion()
      #expect(
        reason(Result { () throws(PasskeyFailure) in try PasskeyCheck.verify(assertion, of: passkey, for: challenge) })
          == expected)
    }
  }

  @Test("any changed byte of what was signed, and another's key, are refused")
  func changedBytes() throws {
    let authenticator = try Authenticator.es256()
    let good = try authenticator.assertion()
    let passkey = authenticator.passkey()
    _ = try PasskeyCheck.verify(good, of: passkey, for: challenge)
    for index in good.authenticatorData.indices {
      var data = good.authenticatorData
      data[index] ^= 0x40
      let changed = PasskeyAssertion(clientData: good.clientData, authenticatorData: data, signature: good.signature)
      #expect(throws: PasskeyFailure.self) { try PasskeyCheck.verify(changed, of: passkey, for: challenge) }
    }
    let client = good.clientData.dropLast() + Array(",\"more\":1}".utf8)
    let changed = PasskeyAssertion(
      clientData: Array(client), authenticatorData: good.authenticatorData, signature: good.signature)
    #expect(throws: PasskeyFailure("the signature is not good")) {
      try PasskeyCheck.verify(changed, of: passkey, for: challenge)
    }
    let stranger = try Authenticator.es256().passkey()
    #expect(throws: PasskeyFailure("the signature is not good")) {
      try PasskeyCheck.verify(good, of: stranger, for: challenge)
    }
  }

  @Test("whatever is sent, cut or filled with noise, is refused without a trap")
  func noise() throws {
    let registration = try Authenticator.es256().registration()
    for count in registration.attestation.indices {
      let cut = PasskeyRegistration(
        clientData: registration.clientData, attestation: Array(registration.attestation.prefix(count)))
      #expect(throws: PasskeyFailure.self) { try PasskeyCheck.register(cut, for: challenge) }
    }
    var generator = SplitMix64(seed: 7)
    for _ in 0..<2000 {
      var bytes = registration.attestation
      for _ in 0..<4 {
        bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
      }
      _ = try? PasskeyCheck.register(
        PasskeyRegistration(clientData: registration.clientData, attestation: bytes), for: challenge)
    }
    let large = [UInt8](repeating: 0, count: Limits.passkey + 1)
    #expect(throws: PasskeyFailure.self) {
      try PasskeyCheck.register(PasskeyRegistration(clientData: large, attestation: large), for: challenge)
    }
    #expect(throws: PasskeyFailure.self) {
      try PasskeyCheck.verify(
        PasskeyAssertion(clientData: large, authenticatorData: large, signature: large),
        of: try Authenticator.es256().passkey(), for: challenge)
    }
  }
}

@Suite("CBOR") struct CBORReaderTests {
  @Test(
    "what WebAuthn does not write is refused",
    arguments: [
      "", "1f", "5f4100ff", "7f6161ff", "9f01ff", "bf0102ff", "c001", "f97e00", "fa00000000", "f8ff", "18", "5803aabb",
      "61ff", "a20101", "a2010101ff", "1bffffffffffffffff", "9bffffffffffffffff", "bb7fffffffffffffff",
      "5bffffffffffffffff", "818181818181818181", "a201010102", "1c", "ff", "f6f6",
    ])
  func refused(_ hex: String) throws {
    var reader = CBORReader(try #require(Hex.decode(Array(hex.utf8))))
    #expect((try? reader.value()) == nil || !reader.isAtEnd)
  }

  @Test("what it writes is read")
  func read() throws {
    let item = Item.map([
      (.text("a"), .list([.integer(-257), .integer(65_535)])), (.integer(-1), .bytes([1, 2])),
      (.integer(0), .written([0xF5])),
    ])
    var reader = CBORReader(item.encoded)
    let value = try reader.value()
    #expect(reader.isAtEnd)
    #expect(value["a"] == .list([.integer(-257), .integer(65_535)]))
    #expect(value[-1]?.bytes == [1, 2] && value[0] == .simple(21))
  }

  @Test("a map has 64 entries at most")
  func entries() {
    for count in [64, 65] {
      var reader = CBORReader(Item.map((0..<count).map { (.integer(Int64($0)), .integer(0)) }).encoded)
      #expect(((try? reader.value()) != nil) == (count == 64))
    }
  }
}
