import GatewayBase
import GatewayCrypto
import GatewayIdentity
import Testing

@Suite("Access tokens")
struct AccessTokenTests {
  private let folder: TemporaryFolder
  private let clock = TokenClock()
  private let keys: SigningKeys
  private let url = "https://api.example.com"

  init() throws {
    folder = try TemporaryFolder()
    keys = try SigningKeys(folder: folder.keys, clock: clock)
  }

  private func issue(appID: Int64 = 123, lifetime: Int64 = Limits.tokenLifetime) throws -> AccessTokenIssuer.Issued {
    try AccessTokenIssuer(keys: keys, issuer: url, clock: clock).issue(
      userID: "u1", appID: appID, role: "app-user", isLocal: true, uuid: "3d4c5b2d-0000-5000-8000-000000000000",
      lifetime: lifetime)
  }

  private func verify(
    _ token: String, app: Int64? = 123, issuer: String? = nil
  ) -> Result<AccessToken, AccessTokenVerifier.Rejection> {
    AccessTokenVerifier(keys: keys, issuer: issuer ?? url).verify(Array(token.utf8), app: app, now: clock.now)
  }

  /// A token with claims and type of the test's choice, signed by the gateway's own key.
  private func signed(_ claims: String, kind: JWT.Kind = .accessToken, by key: SigningKey? = nil) throws -> String {
    try JWT.sign(claims: Array(claims.utf8), kind: kind, key: key ?? keys.active)
  }

  private func claims(_ changes: [String: String?] = [:]) -> String {
    let now = clock.now.seconds
    var claims: [String: String?] = [
      "iss": "\"\(url)\"", "sub": "\"u1\"", "aud": "\"123\"", "iat": "\(now)", "exp": "\(now + 60)", "jti": "\"j\"",
      "role": "\"app-user\"", "local": "false", "uuid": "\"u\"",
    ]
    claims.merge(changes) { $1 }
    return "{" + claims.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",") + "}"
  }

  @Test("a token that was issued is good for its app until it ends")
  func issuedAndVerified() throws {
    let issued = try issue()
    #expect(verify(issued.text) == .success(issued.token))
    #expect(verify(issued.text, app: nil) == .success(issued.token))
    #expect(issued.token.expiresAt == issued.token.issuedAt.adding(seconds: 604_800))
    clock.advance(seconds: 604_799)
    #expect(verify(issued.text) == .success(issued.token))
    clock.advance(seconds: 1)
    #expect(verify(issued.text) == .failure(.expired))
  }

  @Test("a token for linking is no bearer, by its type and by its audience, and ends in 15 minutes")
  func linkingToken() throws {
    let issued = try AccessTokenIssuer(keys: keys, issuer: url, clock: clock).issue(
      userID: "u1", appID: 123, role: "app-user", isLocal: false, uuid: "u", lifetime: Limits.linkToken, for: .linking)
    func verify(_ token: String, app: Int64 = 123, for purposes: [AccessToken.Purpose])
      -> Result<AccessToken, AccessTokenVerifier.Rejection>
    {
      AccessTokenVerifier(keys: keys, issuer: url)
        .verify(Array(token.utf8), app: app, now: clock.now, for: purposes)
    }
    #expect(verify(issued.text, for: [.session]) == .failure(.wrongType))
    for purposes in [[.linking], AccessToken.Purpose.allCases] {
      #expect(verify(issued.text, for: purposes) == .success(issued.token))
      #expect(verify(issued.text, app: 124, for: purposes) == .failure(.wrongApp))
    }
    // Under the other type neither reads the other's claims.
    let jws = try #require(CompactJWS(parsing: Array(issued.text.utf8)))
    #expect(
      verify(try signed(String(decoding: jws.payload, as: UTF8.self)), for: [.session]) == .failure(.malformedClaims))
    #expect(verify(try signed(claims(), kind: .link), for: [.linking]) == .failure(.malformedClaims))
    #expect(verify(try issue().text, for: [.linking]) == .failure(.wrongType))
    clock.advance(seconds: 900)
    #expect(verify(issued.text, for: [.linking]) == .failure(.expired))
  }

  @Test("the token has the type, the claims and nothing else that the contract names")
  func contractForm() throws {
    let issued = try issue()
    let jws = try #require(CompactJWS(parsing: Array(issued.text.utf8)))
    #expect(jws.type == "at+jwt")
    #expect(jws.algorithm == "ES256")
    let json = try JSONValue(parsing: jws.payload)
    #expect(json["aud"]?.string == "123")
    #expect(json["iat"]?.integer == clock.now.seconds)
    #expect(json["local"]?.bool == true)
    let names = ["iss", "sub", "aud", "iat", "exp", "jti", "role", "local", "uuid"]
    #expect(json.object.map { Set($0.keys) } == Set(names))
    #expect(try issue().token.id != issued.token.id)
    #expect(issued.text.utf8.count < 700)
  }

  @Test("a lifetime beyond what retired keys verify is cut, and a shorter one holds")
  func lifetime() throws {
    #expect(try issue(lifetime: .max).token.expiresAt == clock.now.adding(seconds: Limits.tokenLifetime))
    #expect(try issue(lifetime: 900).token.expiresAt == clock.now.adding(seconds: 900))
    #expect(verify(try issue(lifetime: .min).text) == .failure(.expired))
  }

  @Test("another app's, another issuer's and another gateway's tokens are refused")
  func foreign() throws {
    #expect(verify(try issue(appID: 124).text) == .failure(.wrongApp))
    #expect(verify(try issue().text, issuer: "https://other.example") == .failure(.wrongIssuer))
    let other = try SigningKey.generate()
    #expect(verify(try signed(claims(), by: other)) == .failure(.unknownKey))
  }

  @Test("an assertion or another kind of token under our key is no access token")
  func otherKind() throws {
    #expect(verify(try signed(claims(), kind: .jwt)) == .failure(.wrongType))
    let assertion = try AssertionIssuer(keys: keys, issuer: url).issue(
      for: AssertionIssuer.User(id: "u", appID: 123, role: "r", isLocal: true, uuid: "x"), now: clock.now)
    #expect(verify(String(decoding: assertion.bytes, as: UTF8.self)) == .failure(.wrongType))
  }

  @Test("B27 a header that asks for another algorithm or none is refused, whatever the signature")
  func otherAlgorithm() throws {
    let payload = try issue().text.split(separator: ".")[1]
    for algorithm in ["none", "HS256", "RS256", "ES384"] {
      let header = "{\"alg\":\"\(algorithm)\",\"kid\":\"\(keys.active.kid)\",\"typ\":\"at+jwt\"}"
      let input = Base64URL.encode(Array(header.utf8)) + ".\(payload)"
      let signature = Digest.hmacSHA256(key: Secret(keys.jwks), Array(input.utf8))
      #expect(verify("\(input).\(Base64URL.encode(signature))") == .failure(.wrongAlgorithm))
    }
  }

  @Test("a changed byte anywhere makes a token bad")
  func tampered() throws {
    let text = Array(try issue().text.utf8)
    for index in stride(from: 0, to: text.count, by: 3) {
      var changed = text
      changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let verifier = AccessTokenVerifier(keys: keys, issuer: url)
      #expect(throws: AccessTokenVerifier.Rejection.self) {
        try verifier.verify(changed, app: 123, now: clock.now).get()
      }
    }
  }

  @Test("a claim that is missing or has no valid value is refused, also under our own signature")
  func badClaims() throws {
    #expect(throws: Never.self) { try verify(try signed(claims())).get() }
    for name in ["iss", "sub", "aud", "iat", "exp", "jti", "role", "local", "uuid"] {
      #expect(verify(try signed(claims([name: nil]))) == .failure(.malformedClaims), "\(name) absent")
      #expect(verify(try signed(claims([name: "{}"]))) == .failure(.malformedClaims), "\(name) an object")
    }
    for changes in [
      ["sub": "\"\""], ["jti": "\"\""], ["aud": "123"], ["aud": "[\"123\"]"], ["aud": "\"0123\""], ["aud": "\"+123\""],
      ["exp": "9223372036854775807"], ["exp": "-1"], ["iat": "-9223372036854775808"], ["exp": "1e400"], ["exp": "1.5"],
      ["iat": "253402300799"], ["local": "\"true\""],
    ] {
      #expect(verify(try signed(claims(changes))) == .failure(.malformedClaims), "\(changes)")
    }
    #expect(verify(try signed("[]")) == .failure(.malformedClaims))
    #expect(verify(try signed("")) == .failure(.malformedClaims))
  }

  @Test("GW-106 a token that a node with a faster clock issued is good: iat is not compared with now")
  func fasterClock() throws {
    let token = try signed(claims(["iat": "\(clock.now.seconds + 30)", "exp": "\(clock.now.seconds + 90)"]))
    #expect(throws: Never.self) { try verify(token).get() }
  }

  @Test("a token over the size limit is refused unread, and no text crashes the check")
  func anyText() throws {
    #expect(
      verify(try signed(claims(["x": "\"\(String(repeating: "a", count: Limits.bearer))\""]))) == .failure(.malformed))
    for text in ["", "a", "a.b.c", "..", "é.é.é", "null.null.null"] { #expect(verify(text) == .failure(.malformed)) }
  }

  @Test("a token under a rotated key stays good")
  func rotated() throws {
    let issued = try issue()
    try keys.rotate()
    #expect(verify(issued.text) == .success(issued.token))
    #expect(CompactJWS(parsing: Array(try issue().text.utf8))?.kid == keys.active.kid)
  }

  @Test("a token tells the key that signed it, and whether that one is still taken can be asked without a signature")
  func keyID() throws {
    let verifier = AccessTokenVerifier(keys: keys, issuer: url)
    let issued = try issue()
    #expect(issued.token.keyID == keys.active.kid)
    #expect(try verify(issued.text).get().keyID == keys.active.kid)
    #expect(verifier.takes(keyID: issued.token.keyID))
    try keys.rotate()
    #expect(verifier.takes(keyID: issued.token.keyID))
    clock.advance(seconds: Limits.tokenLifetime + 61)
    #expect(!verifier.takes(keyID: issued.token.keyID))
    #expect(!verifier.takes(keyID: "unknown"))
  }
}

@Suite("Assertions towards backends")
struct AssertionTests {
  private let folder: TemporaryFolder
  private let clock = TokenClock()
  private let keys: SigningKeys

  init() throws {
    folder = try TemporaryFolder()
    keys = try SigningKeys(folder: folder.keys, clock: clock)
  }

  private func token(issuer: String, userID: String) throws -> AccessToken {
    try AccessTokenIssuer(keys: keys, issuer: issuer, clock: clock).issue(
      userID: userID, appID: .max, role: "app-user", isLocal: true, uuid: "3d4c5b2d-0000-5000-8000-000000000000"
    ).token
  }

  private func user(_ token: AccessToken) -> AssertionIssuer.User {
    AssertionIssuer.User(
      id: token.userID, appID: token.appID, role: token.role, isLocal: token.isLocal, uuid: token.uuid)
  }

  @Test("an assertion says who asks for which app, for a minute at most, and the published keys prove it")
  func form() throws {
    let token = try token(issuer: "https://api.example.com", userID: "u1")
    let assertion = try AssertionIssuer(keys: keys, issuer: "https://api.example.com").issue(
      for: user(token), now: clock.now)
    let jws = try #require(CompactJWS(parsing: assertion.bytes))
    #expect(jws.type == "JWT")
    let published = try JSONWebKeySet(parsing: keys.jwks)
    let key = try #require(published[keys.active.kid])
    #expect(jws.kid == keys.active.kid)
    #expect(jws.isSigned(by: key))
    let json = try JSONValue(parsing: jws.payload)
    #expect(json["iss"]?.string == "https://api.example.com")
    #expect(json["aud"]?.string == "app:\(Int64.max)")
    #expect(json["sub"]?.string == "u1")
    #expect(json["role"]?.string == "app-user")
    #expect(json["uuid"]?.string == token.uuid)
    #expect(json["local"]?.bool == true)
    #expect(json["iat"]?.integer == clock.now.seconds)
    #expect(json["exp"]?.integer == clock.now.seconds + 60)
    #expect(assertion.expiresAt == clock.now.adding(seconds: 60))
    #expect(assertion.renewAt == clock.now.adding(seconds: 30))
  }

  @Test("GW-30 the assertion of a health check names the app and the role of checks, and no user")
  func healthCheck() throws {
    let issuer = AssertionIssuer(keys: keys, issuer: "https://api.example.com")
    let assertion = try issuer.issueForCheck(app: 7, now: clock.now)
    let jws = try #require(CompactJWS(parsing: assertion.bytes))
    #expect(jws.type == "JWT")
    #expect(jws.isSigned(by: try #require(JSONWebKeySet(parsing: keys.jwks)[keys.active.kid])))
    let json = try JSONValue(parsing: jws.payload)
    #expect(json["iss"]?.string == "https://api.example.com" && json["aud"]?.string == "app:7")
    #expect(json["role"]?.string == "health")
    for name in ["sub", "uuid", "local"] { #expect(json[name] == nil) }
    #expect(json["exp"]?.integer == clock.now.seconds + 60)
    #expect(assertion.renewAt == clock.now.adding(seconds: 30))
  }

  @Test("GW-69 an assertion stays under 1 kB with the longest issuer and user id")
  func size() throws {
    let issuer = String(repeating: "a", count: Limits.issuer)
    let token = try token(issuer: issuer, userID: String(repeating: "b", count: 64))
    let assertion = try AssertionIssuer(keys: keys, issuer: issuer).issue(for: user(token), now: clock.now)
    #expect(assertion.bytes.count <= 1000)
  }
}
