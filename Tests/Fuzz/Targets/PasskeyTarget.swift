import GatewayBase
import GatewayCrypto
import GatewayPasskeys
import ProviderKit

/// A new passkey's attestation or what an authenticator says at a sign-in; the first byte chooses.
func fuzzPasskey(_ bytes: [UInt8]) throws(BrokenProperty) {
  guard let choice = bytes.first else { return }
  let text = Array(bytes.dropFirst())
  if choice % 2 == 0 { try checkRegistration(text) } else { try checkAssertion(text) }
}

private func checkRegistration(_ attestation: [UInt8]) throws(BrokenProperty) {
  guard let passkey = Ceremony.registered(attestation) else { return }
  try expect((1...1023).contains(passkey.id.count), "an id is within its limit")
  for part in [passkey.id, passkey.publicKey, Digest.sha256(Array(Ceremony.party.utf8))] {
    try expect(attestation.firstRange(of: part) != nil, "what is kept was sent, for this relying party")
  }
  try expect(Ceremony.registered(attestation) == passkey, "the same is read twice")
  try expect(Ceremony.registered(attestation + [0]) == nil, "nothing follows an attestation")
  for end in 0..<min(attestation.count, 64) {
    try expect(Ceremony.registered(Array(attestation[..<end])) == nil, "a part of an attestation is none")
  }
  try expect(
    Ceremony.registered(attestation, party: "other.example.com") == nil, "a passkey is one relying party's alone")
  try expect(
    Ceremony.verified(attestation, of: passkey) == nil, "nobody but the owner of a passkey signs in with it")
}

private func checkAssertion(_ data: [UInt8]) throws(BrokenProperty) {
  guard let used = Ceremony.verified(data, of: Ceremony.passkey) else { return }
  try expect(used.id == Ceremony.passkey.id && used.publicKey == Ceremony.passkey.publicKey, "a passkey stays itself")
  try expect(used.signCount > Ceremony.passkey.signCount, "its count goes up")
  try expect(data == Ceremony.signed, "only what was signed is taken")
}

/// One question to a browser, and a passkey whose private part nobody has any more.
private enum Ceremony {
  static let party = "dash.example.com"
  private static let origin = "https://dash.example.com"
  private static let challenge = Array<UInt8>(0..<32)

  static let passkey = Passkey(
    id: Array(100..<116),
    publicKey: Hex.decode(
      ("a5010203262001215820f4b9d6e138f91bb56d18037317e4dcb626db3305d601a2cac316c029"
        + "39e31ed6225820a30422d791449cd3cc5a4f18498451b18cf7925b99e67bdcdb1cd9d0720052a8").utf8) ?? [],
    signCount: 0, isBackedUp: false)

  /// All that it ever signed: what the authenticator said, and the browser's part that `client` writes.
  static let signed = Digest.sha256(Array(party.utf8)) + [0x05, 0, 0, 0, 1]
  private static let signature =
    Hex.decode(
      ("3045022100cfca25b93692a5909bf81d480742863e23cf890611a3efc755a9f4c6e5e835"
        + "3f02200acb1d7d75ff278b1f088f216fa52a21184f316fb9b3d692334f71079cb0d6c3").utf8) ?? []

  static func registered(_ attestation: [UInt8], party: String = party) -> Passkey? {
    try? PasskeyCheck.register(
      PasskeyRegistration(clientData: client("webauthn.create"), attestation: attestation), for: question(party))
  }

  static func verified(_ data: [UInt8], of passkey: Passkey) -> Passkey? {
    try? PasskeyCheck.verify(
      PasskeyAssertion(clientData: client("webauthn.get"), authenticatorData: data, signature: signature),
      of: passkey, for: question(party))
  }

  private static func question(_ party: String) -> PasskeyChallenge {
    PasskeyChallenge(bytes: challenge, relyingParty: party, origin: origin)
  }

  private static func client(_ type: String) -> [UInt8] {
    let challenge = Base64URL.encode(challenge)
    return Array(
      "{\"type\":\"\(type)\",\"challenge\":\"\(challenge)\",\"origin\":\"\(origin)\",\"crossOrigin\":false}".utf8)
  }
}
