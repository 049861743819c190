import GatewayBase
import GatewayCrypto
import GatewayProxy
import Testing

@Suite("The key set of the sandbox") struct KeySetTests {
  @Test("the set has three keys in the shape of Apple's")
  func shape() async throws {
    let sandbox = try await SandboxFixture.shared()
    let answer = try await sandbox.get("/auth/keys")
    #expect(answer.status == 200)
    #expect(answer.fields.contains(ServiceField("Content-Type", "application/json")))
    let keys = try #require(answer.json["keys"]?.array)
    #expect(keys.count == 3)
    for key in keys {
      #expect(key.object.map { Set($0.keys) } == ["kty", "kid", "use", "alg", "n", "e"])
      #expect(key["kty"]?.string == "RSA" && key["use"]?.string == "sig" && key["alg"]?.string == "RS256")
      #expect(key["e"]?.string == "AQAB")
      #expect(key["n"]?.string?.count == 342, "2,048 bits in base64url")
      #expect(key["kid"]?.string?.count == 10)
    }
    #expect(try await sandbox.keys().count == 3, "all can be used, under different ids")
  }

  @Test("B22 after a rotation a new key signs, the oldest has gone and the others are still there")
  func rotation() async throws {
    let sandbox = try await SandboxFixture()
    let oldest = try await sandbox.token(#"{"key":"first"}"#)
    let kept = try await sandbox.token()
    let before = try await sandbox.keyIDs()
    let answer = try await sandbox.post("/sandbox/keys/rotate", "{}")
    let after = try await sandbox.keyIDs()
    #expect(after.count == 3 && Array(after.prefix(2)) == Array(before.suffix(2)) && !before.contains(after[2]))
    #expect(answer.json["keys"]?.array?.compactMap(\.string) == after)
    #expect(answer.json["signing"]?.string == after[2])
    let set = try await sandbox.keys()
    #expect(!oldest.isSigned(in: set) && kept.isSigned(in: set))
    let new = try await sandbox.token()
    #expect(new.jws.kid == after[2] && new.isSigned(in: set))
  }

  @Test("each request of the key set is counted, a failing one too, until the counters are reset")
  func counters() async throws {
    let sandbox = try await SandboxFixture()
    func count() async throws -> Int64? { try await sandbox.get("/sandbox/counters").json["keys"]?.integer }
    #expect(try await count() == 0)
    _ = try await sandbox.get("/auth/keys")
    _ = try await sandbox.post("/sandbox/failures", #"{"keys":"unavailable"}"#)
    #expect(try await sandbox.get("/auth/keys").status == 503)
    _ = try await sandbox.get("/sandbox/keys")
    _ = try await sandbox.token()
    #expect(try await count() == 2)
    #expect(try await sandbox.post("/sandbox/reset").status == 200)
    #expect(try await count() == 0)
    #expect(try await sandbox.get("/auth/keys").status == 200, "a reset ends the failure")
  }

  @Test("B25 each failure is what its name says, leaves the keys as they are and ends with ok")
  func failures() async throws {
    let sandbox = try await SandboxFixture()
    let good = try await sandbox.get("/auth/keys").body
    func failing(_ name: String) async throws -> ServiceResponse {
      #expect(try await sandbox.post("/sandbox/failures", #"{"keys":"\#(name)"}"#).status == 200)
      return try await sandbox.get("/auth/keys")
    }
    #expect(try await failing("unavailable").status == 503)
    for name in ["garbage", "html", "truncated"] {
      let answer = try await failing(name)
      #expect(answer.status == 200 && !answer.body.isEmpty)
      #expect(throws: JSONWebKeySet.Malformed.notAKeySet) { try JSONWebKeySet(parsing: answer.body) }
    }
    #expect(try await failing("html").fields.contains(ServiceField("Content-Type", "text/html")))
    #expect(good.starts(with: try await failing("truncated").body))
    #expect(try JSONWebKeySet(parsing: try await failing("empty").body).count == 0)
    let huge = try await failing("huge")
    #expect(huge.body.count > Limits.outboundResponse)
    #expect(try JSONWebKeySet(parsing: huge.body).count == 3, "nothing but its size is wrong")
    let redirect = try await failing("redirect")
    #expect(redirect.status == 302)
    let target = try #require(redirect.fields.first { $0.name == "Location" }?.value)
    #expect(try await sandbox.get(target).body == good)
    #expect(try await failing("ok").body == good)
  }

  @Test("a slow key set waits, and nothing else does")
  func slow() async throws {
    let sandbox = try await SandboxFixture(slowness: .seconds(3600))
    _ = try await sandbox.post("/sandbox/failures", #"{"keys":"slow"}"#)
    let waiting = Task { try await sandbox.get("/auth/keys").status }
    while try await sandbox.get("/sandbox/counters").json["keys"] == .integer(0) { await Task.yield() }
    #expect(try await sandbox.post("/sandbox/identity-token").status == 200)
    waiting.cancel()
    #expect(try await waiting.value == 503, "it was still waiting when it was cancelled")
    let late = try await SandboxFixture(slowness: .zero)
    _ = try await late.post("/sandbox/failures", #"{"keys":"slow"}"#)
    #expect(try await late.keys().count == 3, "what comes late is the set")
  }

  @Test("a failure that is not there, and a body that names none, are 400 and change nothing")
  func badFailure() async throws {
    let sandbox = try await SandboxFixture.shared()
    for body in ["", "{}", #"{"keys":"down"}"#, #"{"keys":null}"#, #"{"other":"ok"}"#, "[]", "{"] {
      let answer = try await sandbox.post("/sandbox/failures", body)
      #expect(answer.status == 400 && answer.json["error"]?.string == "invalid_request", "\(body)")
    }
    #expect(try await sandbox.post("/sandbox/keys/rotate", "x").status == 400)
    #expect(try await sandbox.post("/sandbox/reset", #"{"a":1}"#).status == 400)
    #expect(try await sandbox.get("/auth/keys").status == 200)
  }

  @Test("another path is 404, another method 405 with Allow")
  func doors() async throws {
    let sandbox = try await SandboxFixture.shared()
    for path in ["/", "/auth/keys/", "/auth/tokens", "/sandbox"] {
      #expect(try await sandbox.get(path).status == 404, "\(path)")
    }
    let post = try await sandbox.post("/auth/keys")
    #expect(post.status == 405 && post.fields.contains(ServiceField("Allow", "GET, HEAD")))
    for path in [
      "/sandbox/identity-token", "/sandbox/keys/rotate", "/sandbox/failures", "/sandbox/reset", "/auth/token",
    ] {
      let get = try await sandbox.get(path)
      #expect(get.status == 405 && get.fields.contains(ServiceField("Allow", "POST")), "\(path)")
    }
    #expect(try await sandbox.send(.head, "/auth/keys").status == 200)
  }
}
