import GatewayBase
import GatewayTesting
import Testing

/// Rows of faults under "Claim shapes and clocks", over HTTP.
@Suite("Claims", .onEveryWire) struct ClaimTests {
  let stage: Stage

  private var now: Int64 { SystemClock().now.seconds }

  init() throws { stage = try Stage.shared() }

  @Test(
    "B31 email_verified in any shape signs in",
    arguments: ["true", true, "false", false, nil, 1, "TRUE", [], .object([:]), 0] as [JSON])
  func emailVerified(value: JSON) throws {
    #expect(try stage.signIn(stage.alphaRequest(claims: ["email_verified": value])).status == 200)
  }

  @Test("B33 is_private_email may be missing or of any shape")
  func privateEmail() throws {
    #expect(try stage.signIn(stage.alphaRequest(omitted: ["is_private_email"])).status == 200)
    for value: JSON in ["true", true, "false", false, nil, 7, "yes"] {
      #expect(try stage.signIn(stage.alphaRequest(claims: ["is_private_email": value])).status == 200)
    }
  }

  @Test("B34 an unverified address suggests no link")
  func unverified() throws {
    for value: JSON in ["false", false, nil, "TRUE", 1] {
      let json = try stage.signIn(stage.alphaRequest(claims: ["email_verified": value])).json()
      #expect(!json.names.contains("linkSuggestion"))
    }
  }

  @Test("B35 a token without an address makes an account without one")
  func noEmail() throws {
    #expect(try stage.signIn(stage.alphaRequest(omitted: ["email"])).json()["user"]["email"] == .null)
    for email: JSON in ["", nil, 5, ["a@b.c"], "not an address"] {
      let answer = try stage.signIn(stage.alphaRequest(claims: ["email": email]))
      #expect(answer.status == 200)
      #expect(try answer.json()["user"]["email"] == .null)
    }
  }

  @Test("B37 clocks may differ by 60 seconds, not by minutes")
  func clocks() throws {
    let now = now
    let good: [[String: JSON]] = [
      ["iat": .integer(now + 2)], ["exp": .integer(now - 1)], ["exp": .integer(now + 1)], ["iat": .integer(now - 3600)],
    ]
    for claims in good { #expect(try stage.signIn(stage.alphaRequest(claims: claims)).status == 200, "\(claims)") }
    let bad: [[String: JSON]] = [
      ["iat": .integer(now + 600)], ["exp": .integer(now - 300)], ["exp": 0], ["exp": -1], ["iat": .integer(.max)],
      ["exp": .integer(.min)], ["exp": "never"], ["exp": nil], ["iat": nil], ["iat": "now"], ["exp": []],
    ]
    for claims in bad { try stage.expectRefused(stage.alphaRequest(claims: claims)) }
    try stage.expectRefused(stage.alphaRequest(omitted: ["exp"]))
    try stage.expectRefused(stage.alphaRequest(omitted: ["iat"]))
  }

  @Test("GW-106 a token issued half a minute ahead of our clock is good")
  func ahead() throws {
    #expect(try stage.signIn(stage.alphaRequest(claims: ["iat": .integer(now + 30)])).status == 200)
    try stage.expectRefused(stage.alphaRequest(claims: ["iat": .integer(now + 90)]))
  }

  @Test("claims of absurd numbers are refused or harmless, never a crash")
  func absurdNumbers() throws {
    for number: JSON in [.number(1e300), .number(-1e300), .number(1.5), .integer(.max), .integer(.min)] {
      for name in ["exp", "iat", "nbf", "auth_time", "real_user_status"] {
        #expect([200, 401].contains(try stage.signIn(stage.alphaRequest(claims: [name: number])).status))
      }
    }
    #expect(try stage.gateway.adminStatus("/healthz") == 200)
  }

  @Test("a subject must be there, as a text of sane length")
  func subject() throws {
    for subject: JSON in ["", nil, 5, ["x"], .string(String(repeating: "s", count: 5000))] {
      try stage.expectRefused(stage.alphaRequest(claims: ["sub": subject]))
    }
    try stage.expectRefused(stage.alphaRequest(omitted: ["sub"]))
  }
}
