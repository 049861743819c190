import GatewayBase
import GatewayTesting
import Testing

/// Rows of faults under "Nonce and replay", over HTTP.
@Suite("Nonces and replay", .onEveryWire) struct NonceTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  @Test("B1 a nonce claim that is base64 of the hash, or the raw value, is refused")
  func nonceForms() throws {
    let request = stage.alphaRequest()
    let good = try JWTText(try stage.sandbox.token(request).text)
    let hex = try #require(good.claims["nonce"].string)
    let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    for claim in [Base64URL.encode(bytes), request.rawNonce, String(hex.dropLast()), hex + "0", " \(hex)", ""] {
      var other = request
      other.claims["nonce"] = .string(claim)
      try stage.expectRefused(other)
    }
    for claim: JSON in [nil, 5, true, ["x"]] {
      var other = request
      other.claims["nonce"] = claim
      try stage.expectRefused(other)
    }
  }

  @Test("B2 a client that sends the hash as the raw value is refused")
  func hashAsRaw() throws {
    var token = try stage.sandbox.token(stage.alphaRequest())
    token.rawNonce = try #require(try JWTText(token.text).claims["nonce"].string)
    #expect(try stage.gateway.signIn(app: App.alpha.id, token).status == 401)
  }

  @Test("B5 a token without a nonce is refused")
  func missingClaim() throws {
    try stage.expectRefused(stage.alphaRequest(omitted: ["nonce"]))
    try stage.expectRefused(stage.alphaRequest(claims: ["nonce_supported": true], omitted: ["nonce"]))
    try stage.expectRefused(stage.alphaRequest(claims: ["nonce_supported": false], omitted: ["nonce"]))
  }

  @Test("B7 a token is accepted once: twice in a row, and twenty times at once")
  func replay() throws {
    let token = try stage.sandbox.token(stage.alphaRequest())
    #expect(try stage.gateway.signIn(app: App.alpha.id, token).status == 200)
    #expect(try stage.gateway.signIn(app: App.alpha.id, token).status == 401)
    let gateway = stage.gateway
    let lines = { gateway.process.lines.filter { $0.contains("accepted before") } }
    #expect(eventually { lines().contains { $0.contains(#""code":"invalid_identity_token""#) } })
    let other = try stage.sandbox.token(stage.alphaRequest())
    let stage = stage
    let statuses = try Parallel.run(20) { _ in try stage.gateway.signIn(app: App.alpha.id, other).status }
    #expect(statuses.filter { $0 == 200 }.count == 1)
    #expect(statuses.filter { $0 == 401 }.count == 19)
  }

  @Test("B7 a nonce is accepted once, in whichever token it stands")
  func nonceReplay() throws {
    let request = stage.alphaRequest()
    #expect(try stage.signIn(request).status == 200)
    var other = stage.alphaRequest()
    other.rawNonce = request.rawNonce
    try stage.expectRefused(other)
  }

  @Test("B7 a refused attempt burns nothing")
  func refusalBurnsNothing() throws {
    let token = try stage.sandbox.token(stage.alphaRequest())
    var wrong = token
    wrong.rawNonce = UUIDText.random().description
    for _ in 0..<3 { #expect(try stage.gateway.signIn(app: App.alpha.id, wrong).status == 401) }
    #expect(try stage.gateway.signIn(app: App.beta.id, token).status == 401)
    #expect(try stage.gateway.signIn(app: App.alpha.id, token, ["fullName": 5]).status == 400)
    #expect(try stage.gateway.signIn(app: App.alpha.id, token).status == 200)
  }

  @Test("B9 upper-case hexadecimal is refused")
  func upperCase() throws {
    let request = stage.alphaRequest()
    let good = try JWTText(try stage.sandbox.token(request).text)
    var other = request
    other.claims["nonce"] = .string(try #require(good.claims["nonce"].string).uppercased())
    try stage.expectRefused(other)
  }

  @Test("B10 a raw nonce is required, of 32 characters or more")
  func rawNonce() throws {
    var short = stage.alphaRequest()
    short.rawNonce = String(repeating: "n", count: 31)
    try stage.expectRefused(short)
    var enough = stage.alphaRequest()
    enough.rawNonce = String(UUIDText.random().description.filter { $0 != "-" })
    #expect(enough.rawNonce.count == 32)
    #expect(try stage.signIn(enough).status == 200)
    let token = try stage.sandbox.token(stage.alphaRequest())
    let absent = try stage.gateway.signIn(
      ["appId": .integer(Int64(App.alpha.id)), "identityToken": .string(token.text)])
    #expect(absent.status == 401 && absent.errorCode == "invalid_identity_token")
    try stage.expectRefused(stage.alphaRequest(), ["rawNonce": ""])
    try stage.expectRefused(stage.alphaRequest(), ["rawNonce": nil])
  }
}
