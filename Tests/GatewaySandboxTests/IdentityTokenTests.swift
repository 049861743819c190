import GatewayBase
import GatewayCrypto
import GatewayIO
import Testing

@Suite("Identity tokens of the sandbox") struct IdentityTokenTests {
  private let now = SandboxFixture.now

  @Test("without a wish a token is a good one of a new user, signed by the second key of the set")
  func usual() async throws {
    let sandbox = try await SandboxFixture()
    let token = try await sandbox.token()
    let set = try await sandbox.keys()
    #expect(token.isSigned(in: set))
    let ids = try await sandbox.keyIDs()
    #expect(token.header.object == ["kid": .string(ids[1]), "alg": .string("RS256")])
    let claims = try #require(token.claims.object)
    #expect(
      Set(claims.keys) == ["iss", "aud", "sub", "nonce", "nonce_supported", "iat", "exp", "auth_time"])
    #expect(claims["iss"] == .string("http://localhost:9400"))
    #expect(claims["aud"] == .string("com.example.notes"))
    #expect(claims["iat"] == .integer(now) && claims["auth_time"] == .integer(now))
    #expect(claims["exp"] == .integer(now + 86_400))
    #expect(claims["nonce_supported"] == .bool(true))
    let subject = try #require(claims["sub"]?.string).split(separator: ".")
    #expect(subject.map(\.count) == [6, 32, 4])
    let raw = try #require(token.rawNonce)
    #expect(raw.count == 64)
    #expect(claims["nonce"]?.string == Hex.encode(Digest.sha256(Array(raw.utf8))))
    let another = try await sandbox.token("{}")
    #expect(another.rawNonce != raw && another.claims["sub"] != claims["sub"])
  }

  @Test("members become claims, and a raw nonce its digest")
  func members() async throws {
    let sandbox = try await SandboxFixture()
    let token = try await sandbox.token(
      #"""
      {"aud":"com.example.a","sub":"000001.x.0001","rawNonce":"abc","email":"ada@example.org",
      "email_verified":"true","is_private_email":false}
      """#)
    #expect(token.rawNonce == "abc")
    let claims = token.claims
    #expect(claims["aud"]?.string == "com.example.a" && claims["sub"]?.string == "000001.x.0001")
    #expect(claims["email"]?.string == "ada@example.org")
    #expect(claims["email_verified"] == .string("true") && claims["is_private_email"] == .bool(false))
    #expect(
      claims["nonce"]?.string == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "FIPS 180-4")
  }

  @Test("a nonce stands as it is given, and no raw one is made up for it")
  func verbatimNonce() async throws {
    let sandbox = try await SandboxFixture()
    let token = try await sandbox.token(#"{"nonce":"as given"}"#)
    #expect(token.claims["nonce"]?.string == "as given")
    #expect(token.rawNonce == nil)
  }

  @Test(
    "times are absolute or from now, and a token lives a day from its iat",
    arguments: [
      (#"{"iat":5}"#, 5, 86_405), (#"{"iatOffset":-60}"#, SandboxFixture.now - 60, SandboxFixture.now + 86_340),
      (#"{"exp":7}"#, SandboxFixture.now, 7), (#"{"expOffset":-1}"#, SandboxFixture.now, SandboxFixture.now - 1),
      (#"{"iat":1,"exp":2}"#, 1, 2),
      (#"{"iatOffset":1,"expOffset":2}"#, SandboxFixture.now + 1, SandboxFixture.now + 2),
    ] as [(String, Int64, Int64)])
  func times(body: String, issuedAt: Int64, expiresAt: Int64) async throws {
    let token = try await SandboxFixture().token(body)
    #expect(token.claims["iat"] == .integer(issuedAt) && token.claims["exp"] == .integer(expiresAt))
  }

  @Test("raw claims and header members of any type replace the usual ones, and omitted claims are gone")
  func overrides() async throws {
    let sandbox = try await SandboxFixture()
    let token = try await sandbox.token(
      #"""
      {"email":"ada@example.org","claims":{"iss":"https://appleid.apple.com","aud":["a",5],"exp":null,"iat":1e300,
      "extra":{"deep":[true]},"email":5},"omit":["sub","auth_time","absent"],"header":{"typ":"JWT","crit":null}}
      """#)
    let claims = try #require(token.claims.object)
    #expect(claims["iss"]?.string == "https://appleid.apple.com")
    #expect(claims["aud"] == .array([.string("a"), .integer(5)]))
    #expect(claims["exp"] == .null && claims["iat"] == .real(1e300) && claims["email"] == .integer(5))
    #expect(claims["extra"] == .object(["deep": .array([.bool(true)])]))
    #expect(claims["sub"] == nil && claims["auth_time"] == nil)
    #expect(token.header["typ"]?.string == "JWT" && token.header["crit"] == .null)
  }

  @Test("B27 the header may name any algorithm, and the signature stays RS256")
  func algorithm() async throws {
    let sandbox = try await SandboxFixture()
    for body in [#"{"alg":"none"}"#, #"{"header":{"alg":"none"}}"#] {
      let token = try await sandbox.token(body)
      #expect(token.jws.algorithm == "none")
      #expect(!token.isSigned(in: try await sandbox.keys()))
    }
  }

  @Test("each key of the set signs when asked to")
  func choice() async throws {
    let sandbox = try await SandboxFixture()
    let ids = try await sandbox.keyIDs()
    for (index, name) in ["first", "second", "third"].enumerated() {
      let token = try await sandbox.token(#"{"key":"\#(name)"}"#)
      #expect(token.jws.kid == ids[index])
      #expect(token.isSigned(in: try await sandbox.keys()))
    }
  }

  @Test("B21 the foreign key signs under the id of the current one, and no key of the set fits")
  func foreign() async throws {
    let sandbox = try await SandboxFixture()
    let set = try await sandbox.keys()
    let ids = try await sandbox.keyIDs()
    let token = try await sandbox.token(#"{"key":"foreign"}"#)
    #expect(token.jws.kid == ids[1])
    #expect(ids.allSatisfy { set[$0].map(token.jws.isSigned(by:)) == false })
    #expect(try await sandbox.token(#"{"key":"foreign","kid":"unknown"}"#).jws.kid == "unknown")
    #expect(try await sandbox.token(#"{"kid":"unknown"}"#).jws.kid == "unknown")
  }

  @Test("a configured issuer stands in place of the host")
  func issuer() async throws {
    let sandbox = try await SandboxFixture(issuer: "https://appleid.apple.com")
    #expect(try await sandbox.token().claims["iss"]?.string == "https://appleid.apple.com")
    #expect(try await sandbox.token(#"{"claims":{"iss":"x"}}"#).claims["iss"]?.string == "x")
  }

  @Test("a batch has as many good tokens as asked for, each of a user and with a nonce of its own")
  func batch() async throws {
    let sandbox = try await SandboxFixture()
    let set = try await sandbox.keys()
    for count in [1, 64, 65, 150] {
      let answer = try await sandbox.post("/sandbox/identity-token", #"{"count":\#(count)}"#)
      let tokens = try #require(answer.json["tokens"]?.array).map(SignedToken.init)
      #expect(tokens.count == count)
      #expect(tokens.allSatisfy { $0.isSigned(in: set) })
      #expect(Set(tokens.map(\.rawNonce)).count == count)
      #expect(Set(tokens.map { $0.claims["nonce"]?.string }).count == count)
      #expect(Set(tokens.map { $0.claims["sub"]?.string }).count == count)
    }
    let answer = try await sandbox.post("/sandbox/identity-token", #"{"count":3,"sub":"one"}"#)
    let tokens = try #require(answer.json["tokens"]?.array).map(SignedToken.init)
    #expect(tokens.allSatisfy { $0.claims["sub"]?.string == "one" })
  }

  @Test("a body that is no wish is 400 invalid_request, and the next one is served")
  func badBodies() async throws {
    let sandbox = try await SandboxFixture()
    let bodies = [
      "null", "[]", "5", "{", "{\"aud\":\"a\",\"aud\":\"b\"}", String(repeating: "[", count: 60_000), "\u{FEFF}{}",
      #"{"audience":"x"}"#, #"{"aud":5}"#, #"{"aud":null}"#, #"{"sub":[]}"#, #"{"rawNonce":1}"#, #"{"nonce":{}}"#,
      #"{"email":1}"#, #"{"email_verified":1}"#, #"{"is_private_email":"yes"}"#, #"{"claims":[]}"#, #"{"omit":"sub"}"#,
      #"{"omit":[1]}"#, #"{"header":"x"}"#, #"{"kid":7}"#, #"{"alg":null}"#, #"{"key":"fourth"}"#, #"{"key":2}"#,
      #"{"iat":"now"}"#, #"{"iat":1.5}"#, #"{"iat":1e300}"#, #"{"iat":99999999999999999999}"#,
      #"{"iat":1,"iatOffset":1}"#, #"{"exp":1,"expOffset":1}"#, #"{"iat":9223372036854775807}"#,
      #"{"iatOffset":9223372036854775807}"#, #"{"expOffset":9223372036854775807}"#,
      #"{"count":0}"#, #"{"count":-1}"#, #"{"count":10001}"#, #"{"count":"2"}"#, #"{"count":1.5}"#,
      #"{"count":2,"rawNonce":"x"}"#, #"{"count":2,"nonce":"x"}"#,
    ]
    for body in bodies {
      let answer = try await sandbox.post("/sandbox/identity-token", body)
      #expect(answer.status == 400, "\(body.prefix(80))")
      #expect(answer.json["error"]?.string == "invalid_request", "\(body.prefix(80))")
    }
    #expect(try await sandbox.post("/sandbox/identity-token").status == 200)
  }

  @Test("a refusal names the member and repeats no value")
  func noEcho() async throws {
    let sandbox = try await SandboxFixture()
    for body in [#"{"key":"s3cret"}"#, #"{"s3cret":1}"#, #"{"iat":"s3cret"}"#, #"{"aud":s3cret}"#] {
      let answer = try await sandbox.post("/sandbox/identity-token", body)
      #expect(answer.status == 400)
      #expect(!String(decoding: answer.body, as: UTF8.self).contains("s3cret"))
    }
  }
}
