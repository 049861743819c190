import GatewayBase
import GatewayTesting
import Testing

/// Secrets of an app stay with its servers: what they open is not for pages, and no answer or line of the log has them.
@Suite("Secrets of apps") struct AppSecretTests {
  private let path = "/api/platform/apps/\(SpeedScene.app.id)/users/nobody/balance"

  @Test("B91 what a server key opens can't be read by any page, its own app's included")
  func pages() throws {
    let scene = try SpeedScene()
    let origin = "https://\(SpeedScene.app.host)"
    let fields = [
      ("Origin", origin), ("Access-Control-Request-Method", "GET"), ("Access-Control-Request-Headers", "authorization"),
    ]
    for (path, isAllowed) in [("/api/platform/auth/me", true), (path, false), ("\(path)/adjustments", false)] {
      let preflight = try scene.gateway.exchange(
        HTTPRequest("OPTIONS", path, host: "api.localhost", fields: fields))
      #expect(preflight.status == 204 && (preflight.fields["Access-Control-Allow-Origin"] == origin) == isAllowed)
      #expect((preflight.fields["Access-Control-Allow-Headers"] != nil) == isAllowed, "\(path)")
    }
    var asked = HTTPRequest.authorized("GET", path, host: "api.localhost", bearer: SpeedScene.serverKey)
    asked.fields.append(("Origin", origin))
    let answer = try scene.gateway.exchange(asked)
    #expect(answer.errorCode == "unknown_user" && answer.fields["Access-Control-Allow-Origin"] == nil)
  }

  @Test("B91 a user's token adjusts no balance, and no answer or log line holds the server's key")
  func keys() throws {
    let scene = try SpeedScene()
    let session = try scene.apple("001.secret")
    let bearer = try #require(session["token"].string)
    let user = try #require(session["user"]["id"].string)
    let gift: [String: JSON] = [
      "amount": .integer(5), "reason": .string("gift"), "idempotencyKey": .string("gift-1"),
    ]
    let adjustments = path.replacing("nobody", with: user) + "/adjustments"
    let refused = try scene.call("POST", adjustments, bearer: bearer, gift)
    #expect(refused.status == 401 && refused.errorCode == "invalid_token")
    var answers = [refused, try scene.call("POST", adjustments, bearer: SpeedScene.serverKey, gift)]
    #expect(answers.last?.status == 201)
    for wrong in ["\(SpeedScene.serverKey)x", SpeedScene.serverKey.uppercased(), SpeedScene.serverKey] {
      answers.append(try scene.call("GET", adjustments, bearer: wrong))
      answers.append(try scene.call("GET", "/api/platform/auth/me", bearer: wrong))
    }
    answers.append(try scene.gateway.exchange(HTTPRequest("GET", "/.well-known/jwks.json", host: "api.localhost")))
    for answer in answers {
      #expect(!answer.fields.lines.contains { $0.value.contains(SpeedScene.serverKey) })
      #expect(!String(decoding: answer.body, as: UTF8.self).contains(SpeedScene.serverKey))
    }
    #expect(!scene.gateway.log.contains(SpeedScene.serverKey) && !scene.gateway.log.contains(bearer))
  }
}
