import GatewayTesting
import Testing

/// Rows of faults under "Audience and issuer", over HTTP.
@Suite("Audiences and issuers", .onEveryWire) struct AudienceTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  @Test("B13 a Services ID is no audience of a native sign-in")
  func servicesID() throws {
    try stage.expectRefused(stage.alphaRequest(claims: ["aud": "com.example.alpha.web"]))
  }

  @Test("B14 an audience of another app is refused, in every spelling of ours")
  func foreignAudience() throws {
    for audience: JSON in [
      "com.other.app", .string(App.beta.bundleID), "", "COM.EXAMPLE.ALPHA", "com.example.alpha ", "com.example.*", nil,
      5, true,
      .object([:]),
    ] {
      try stage.expectRefused(stage.alphaRequest(claims: ["aud": audience]))
    }
    try stage.expectRefused(stage.alphaRequest(omitted: ["aud"]))
  }

  @Test("B17 an audience list of our one bundle ID is good, one with a foreign entry is not")
  func audienceList() throws {
    #expect(try stage.signIn(stage.alphaRequest(claims: ["aud": ["com.example.alpha"]])).status == 200)
    try stage.expectRefused(stage.alphaRequest(claims: ["aud": ["com.example.alpha", "com.evil"]]))
    try stage.expectRefused(stage.alphaRequest(claims: ["aud": []]))
    try stage.expectRefused(stage.alphaRequest(claims: ["aud": ["com.example.alpha", 5]]))
  }

  @Test("B18 the issuer is the configured one alone, without discovery")
  func issuer() throws {
    for issuer: JSON in [
      "https://account.apple.com", "https://appleid.apple.com/", "http://appleid.apple.com", "", nil,
      ["https://appleid.apple.com"],
    ] {
      try stage.expectRefused(stage.alphaRequest(claims: ["iss": issuer]))
    }
    #expect(try stage.signIn(stage.alphaRequest()).status == 200)
  }
}
