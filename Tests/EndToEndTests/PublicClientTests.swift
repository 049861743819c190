import GatewayTesting
import Testing

/// Clients that the project did not write.
@Suite("Public clients", .onEveryWire) struct PublicClientTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  private static let hasPyJWT = has(["python3", "-c", "import jwt, cryptography"])
  private static let hasCurl = has(["curl", "--version"])

  private static func has(_ command: [String]) -> Bool {
    (try? CommandResult.run(command))?.exitCode == 0
  }

  @Test(
    "PyJWT verifies a token by the published keys, and refuses a changed one",
    .enabled(if: hasPyJWT, "python3 with PyJWT and cryptography is not installed"))
  func pyJWT() throws {
    let script = """
      import json, sys, jwt
      token, audience, keys = sys.argv[1:4]
      keys = jwt.PyJWKSet.from_dict(json.loads(keys))
      kid = jwt.get_unverified_header(token)["kid"]
      key = next(k for k in keys.keys if k.key_id == kid)
      options = {"require": ["iss", "sub", "aud", "iat", "exp", "jti"]}
      claims = jwt.decode(token, key.key, algorithms=["ES256"], audience=audience, issuer="http://api.localhost",
                          options=options)
      print(claims["sub"])
      """
    let keys = try stage.gateway.exchange(HTTPRequest("GET", "/.well-known/jwks.json", host: "api.localhost")).text
    let verify = { (token: String, audience: String) in
      try CommandResult.run(["python3", "-c", script, token, audience, keys])
    }
    let token = try JWTText(stage.bearer)
    let good = try verify(stage.bearer, "\(App.alpha.id)")
    #expect(good.exitCode == 0)
    #expect(good.standardOutput == "\(token.claims["sub"].string ?? "?")\n")
    var forged = token
    forged.claims = token.claims.with("sub", "someone-else")
    #expect(try verify(forged.text, "\(App.alpha.id)").exitCode != 0)
    #expect(try verify(stage.bearer, "\(App.beta.id)").exitCode != 0)
  }

  @Test("curl signs in and calls the app", .enabled(if: hasCurl, "curl is not installed"))
  func curl() throws {
    let token = try stage.sandbox.token(TokenRequest(audience: App.alpha.bundleID))
    let body: JSON = [
      "domain": .string(App.alpha.host), "identityToken": .string(token.text), "rawNonce": .string(token.rawNonce),
    ]
    let base = "http://127.0.0.1:\(stage.gateway.port)"
    let signIn = try CommandResult.run([
      "curl", "-sS", "-w", "\n%{http_code}", "-H", "Host: api.localhost", "-H", "Content-Type: application/json",
      "--data-binary",
      String(decoding: body.bytes, as: UTF8.self), "\(base)\(GatewayProcess.signInPath)",
    ])
    let lines = signIn.standardOutput.split(separator: "\n")
    #expect(lines.last == "200")
    let bearer = try #require(try JSON(parsing: Array((lines.first ?? "").utf8))["token"].string)
    let large = try TemporaryFolder()
    try large.write("body", [UInt8](repeating: 0x61, count: 3 << 20))
    // A body of this size makes curl ask with Expect: 100-continue.
    let call = try CommandResult.run([
      "curl", "-sS", "-w", "\n%{http_code}", "-H", "Host: \(App.alpha.host)", "-H", "Authorization: Bearer \(bearer)",
      "-H",
      "X-Speed-Request-From: app", "--data-binary", "@\(large.path("body"))", "\(base)/upload",
    ])
    let answer = call.standardOutput.split(separator: "\n")
    #expect(answer.last == "200")
    #expect(try JSON(parsing: Array((answer.first ?? "").utf8))["bodyBytes"].integer == 3 << 20)
  }
}
