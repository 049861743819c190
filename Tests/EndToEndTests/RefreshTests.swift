import GatewayBase
import GatewayTesting
import Testing

/// Section 4: short access tokens with rotating refresh tokens, where an app has opted in.
@Suite("Refresh tokens", .onWiresOfItsOwn) struct RefreshTests {
  private func refresh(_ gateway: GatewayProcess, _ token: JSON) throws -> HTTPAnswer {
    try gateway.exchange(
      HTTPRequest("POST", "/api/platform/auth/refresh", host: "api.localhost", json: .object(["refreshToken": token])))
  }

  private func scene() throws -> AppleScene {
    try AppleScene(lines: ["sessions: { lifetime: 15m, refresh: true }"])
  }

  @Test("a sign-in brings a refresh token, each use a new pair, and a second use of one ends all")
  func rotation() throws {
    let scene = try scene()
    let signedIn = try scene.signIn()
    #expect(signedIn["refreshToken"].string?.isEmpty == false)
    let jwt = try JWTText(try #require(signedIn["token"].string))
    #expect((jwt.claims["exp"].integer ?? 0) - (jwt.claims["iat"].integer ?? 0) == 900)
    let first = try refresh(scene.gateway, signedIn["refreshToken"])
    #expect(first.status == 200)
    let pair = try first.json()
    #expect(pair["user"] == signedIn["user"] && pair["isNewAccount"] == false)
    #expect(pair["token"] != signedIn["token"] && pair["refreshToken"] != signedIn["refreshToken"])
    let bearer = try #require(pair["token"].string)
    #expect(try scene.gateway.me(bearer).status == 200)
    let reused = try refresh(scene.gateway, signedIn["refreshToken"])
    #expect(reused.status == 401 && reused.errorCode == "invalid_refresh_token")
    #expect(try refresh(scene.gateway, pair["refreshToken"]).status == 401)
    #expect(try scene.gateway.me(bearer).status == 401)
  }

  @Test("sign-out and deletion end the refresh token too")
  func ends() throws {
    let scene = try scene()
    let first = try scene.signIn()
    #expect(try scene.gateway.signOut(try #require(first["token"].string)).status == 204)
    #expect(try refresh(scene.gateway, first["refreshToken"]).status == 401)
    let second = try scene.signIn()
    #expect(try scene.gateway.deleteAccount(try #require(second["token"].string)).status == 200)
    #expect(try refresh(scene.gateway, second["refreshToken"]).status == 401)
  }

  @Test("what is no refresh token is 401, what is no body 400, and an app without the option gives none")
  func refused() throws {
    let scene = try scene()
    for token in ["", "x", "é"] as [JSON] { #expect(try refresh(scene.gateway, token).status == 401) }
    for token in [nil, 5, []] as [JSON] { #expect(try refresh(scene.gateway, token).status == 400) }
    let other = try scene.signIn(AppleScene.pair)
    #expect(other["refreshToken"] == .null)
    let log = scene.gateway.log
    #expect(try !log.contains(#require(try scene.signIn()["refreshToken"].string)))
  }
}
