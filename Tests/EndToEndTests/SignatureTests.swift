import GatewayBase
import GatewayCrypto
import GatewayTesting
import Testing

/// Rows of faults under "Keys and signatures", over HTTP.
@Suite("Signatures of identity tokens", .onEveryWire) struct SignatureTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  @Test("B21 a signature by another key under a known id is refused")
  func foreignKey() throws {
    try stage.expectRefused(stage.alphaRequest(key: "foreign"))
    #expect(try stage.signIn(stage.alphaRequest()).status == 200)
  }

  @Test(
    "B27 an alg from the header never chooses the check",
    arguments: ["HS256", "none", "None", "RS512", "PS256", "rs256", ""])
  func algorithm(name: String) throws {
    try stage.expectRefused(stage.alphaRequest(header: ["alg": .string(name)]))
  }

  @Test("B27 a public key taken for a shared secret makes no signature")
  func publicKeyAsSecret() throws {
    let token = try stage.sandbox.token(stage.alphaRequest())
    var forged = try JWTText(token.text)
    let keys = try stage.sandbox.keySet()["keys"].items
    let key = try #require(keys.first { $0["kid"] == forged.header["kid"] })
    let modulus = try #require(Base64URL.decode((key["n"].string ?? "").utf8))
    let exponent = try #require(Base64URL.decode((key["e"].string ?? "").utf8))
    let pem = RSAPublicKeyPEM.text(modulus: modulus, exponent: exponent)
    forged.header = forged.header.with("alg", "HS256")
    for secret in [Array(pem.utf8), Array(pem.utf8.dropLast()), modulus, key.bytes, []] {
      forged.signature = Digest.hmacSHA256(key: Secret(secret), Array(forged.signingInput.utf8))
      let answer = try stage.gateway.signIn(
        app: App.alpha.id, IdentityToken(text: forged.text, rawNonce: token.rawNonce))
      #expect(answer.status == 401)
    }
  }

  @Test("B27 a token without a signature is refused")
  func unsigned() throws {
    let token = try stage.sandbox.token(stage.alphaRequest())
    var forged = try JWTText(token.text)
    forged.header = forged.header.with("alg", "none")
    forged.signature = []
    for text in [forged.text, String(forged.text.dropLast()), "\(forged.signingInput).AA"] {
      let answer = try stage.gateway.signIn(app: App.alpha.id, IdentityToken(text: text, rawNonce: token.rawNonce))
      #expect(answer.status == 401)
    }
  }

  @Test("B29 a malformed token is 401, never 500")
  func malformed() throws {
    let token = try stage.sandbox.token(stage.alphaRequest())
    let good = try JWTText(token.text)
    let header = Base64URL.encode(good.header.bytes)
    let claims = Base64URL.encode(good.claims.bytes)
    let signature = Base64URL.encode(good.signature)
    let texts = [
      "", "abc", "a.b", "..", ".", "a.b.c.d", "....", "\(header)..", "\(header).\(claims).", ".\(claims).\(signature)",
      "\(header).\(claims).\(signature).\(signature)", "\(header).\(claims).\(signature)=",
      "\(header).\(claims).\(signature)\n",
      "\(Base64URL.encode(Array("not json".utf8))).\(claims).\(signature)",
      "\(Base64URL.encode(Array("[]".utf8))).\(claims).\(signature)",
      "\(Base64URL.encode(Array("{\"alg\":5}".utf8))).\(claims).\(signature)",
      "\(header).\(Base64URL.encode(Array("[]".utf8))).\(signature)",
      "\(header).\(Base64URL.encode([0xFF])).\(signature)",
      "é.é.é", "\u{0}", String(repeating: "a", count: 20_000), String(repeating: ".", count: 10_000),
    ]
    for (index, text) in texts.enumerated() {
      let answer = try stage.gateway.signIn(app: App.alpha.id, IdentityToken(text: text, rawNonce: token.rawNonce))
      #expect(answer.status == 401, "text \(index)")
      #expect(answer.errorCode == "invalid_identity_token", "text \(index)")
    }
    #expect(try stage.gateway.signIn(app: App.alpha.id, token).status == 200)
  }

  @Test("B29 a header without a kid, or with an odd one, is 401")
  func oddHeader() throws {
    for kid: JSON in [nil, 5, "", ["x"], "../../etc/passwd", .string(String(repeating: "k", count: 5000))] {
      try stage.expectRefused(stage.alphaRequest(header: ["kid": kid]))
    }
    try stage.expectRefused(stage.alphaRequest(header: ["crit": ["exp"]]))
    try stage.expectRefused(stage.alphaRequest(header: ["b64": false, "crit": ["b64"]]))
  }

  @Test("B30 a header that says ES256 is refused")
  func otherAlgorithm() throws {
    try stage.expectRefused(stage.alphaRequest(header: ["alg": "ES256"]))
  }
}
