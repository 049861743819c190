import AppleNative
import Foundation
import PluginTesting
import ProviderKit
import Testing

@Suite("What is left to do at Apple") struct TaskTests {
  private let services = FakeServices(now: SignInCase.now)

  private var provider: any Provider {
    unsafe Unmanaged<ProviderEntry>.fromOpaque(speedProviderEntry()).takeRetainedValue().provider
  }

  private let app = AppDescription(
    appID: 1, name: "Alpha", bundleIDs: ["com.example.alpha", "com.example.beta"], teamID: "ABCDE12345",
    hasSignInKey: true)

  private func signIn(_ change: (inout SignInCase) -> Void = { _ in }) -> SignInCase {
    SignInCase().with {
      $0.app = app
      $0.body["authorizationCode"] = "code-1"
      change(&$0)
    }
  }

  private func exchange(_ answers: (status: Int, body: String)?...) async throws -> Result<TaskOutcome, TaskFailure> {
    for answer in answers { await services.answer(answer) }
    let followUp = try #require(try await signIn().run().followUp)
    return await perform(.followUp(followUp))
  }

  private func perform(_ task: ProviderTask) async -> Result<TaskOutcome, TaskFailure> {
    do throws(TaskFailure) {
      return .success(try await provider.perform(TaskRequest(app: app, task: task), using: services))
    } catch {
      return .failure(error)
    }
  }

  private func idToken(_ claims: [String: Any]) -> String {
    FakeServices.token(header: ["alg": "RS256"], claims: claims, key: "k")
  }

  /// The claims of the secrets so far.
  private func secrets() async throws -> [Secret] {
    try await services.signed.map { try JSONDecoder().decode(Secret.self, from: Data($0)) }
  }

  private struct Secret: Decodable {
    let iss: String
    let sub: String
    let aud: String
    let iat: Int64
    let exp: Int64
  }

  private func fields(_ index: Int) async -> [String: String] {
    Dictionary(await services.posts[index].fields.map { ($0.name, $0.value) }) { $1 }
  }

  @Test("a code is for later where the app has a key, and not otherwise")
  func needsKey() async throws {
    #expect(try await signIn().run().followUp != nil)
    #expect(
      try await signIn { $0.body["authorizationCode"] = Absent() }.with { $0.body["authorizationCode"] = nil }.run()
        .followUp == nil)
    let bare = AppDescription(appID: 1, name: "A", bundleIDs: ["com.example.alpha"])
    #expect(try await signIn { $0.app = bare }.run().followUp == nil)
  }

  @Test("a code that the token's c_hash does not know is 401; without c_hash it is taken")
  func codeHash() async throws {
    let half = Data(SHA256.digest(Array("code-1".utf8)).prefix(16))
    #expect(await signIn { $0.claims["c_hash"] = FakeServices.encode(half) }.outcome() == "signed in")
    for wrong in ["x", "", FakeServices.encode(Data(SHA256.digest(Array("code-2".utf8)).prefix(16)))] {
      #expect(await signIn { $0.claims["c_hash"] = wrong }.outcome() == "401 invalid_identity_token (code hash)")
    }
    #expect(
      await signIn {
        $0.claims["c_hash"] = "x"; $0.body["authorizationCode"] = nil
      }.outcome() == "signed in")
  }

  @Test("an exchange posts Apple's form without a redirect_uri, and brings a grant of the token's audience")
  func exchanges() async throws {
    let subject = "000001.0a0a0a0a.0001"
    let outcome = try await exchange((200, "{\"refresh_token\":\"r1\",\"id_token\":\"\(idToken(["sub": subject]))\"}"))
    #expect(outcome == .success(.granted(ProviderGrant(client: "com.example.alpha", secret: Array("r1".utf8)))))
    #expect(await services.posts[0].url == "https://appleid.apple.com/auth/token")
    #expect(
      await fields(0) == [
        "client_id": "com.example.alpha", "client_secret": "secret-1", "grant_type": "authorization_code",
        "code": "code-1",
      ])
  }

  @Test("B38 a secret is minted for each call: five minutes, issued a minute ago, for the client alone")
  func secret() async throws {
    _ = try await exchange((200, "{\"refresh_token\":\"r1\"}"))
    let claims = try #require(try await secrets().first)
    #expect(claims.iss == "ABCDE12345" && claims.sub == "com.example.alpha")
    #expect(claims.aud == "https://appleid.apple.com")
    #expect(claims.iat == SignInCase.nowSeconds - 60 && claims.exp == claims.iat + 300)
    await services.answer((200, ""))
    _ = await perform(.release(ProviderGrant(client: "com.example.beta", secret: Array("r".utf8))))
    #expect(try await secrets().map(\.sub) == ["com.example.alpha", "com.example.beta"])
  }

  @Test("B39 what an exchange brought is kept, whatever its id token looks like")
  func lenient() async throws {
    for rest in [
      ",\"id_token\":\"garbage\"", ",\"id_token\":5", "", ",\"expires_in\":\"x\"",
      ",\"id_token\":\"\(idToken(["sub": "000001.0a0a0a0a.0001", "email_verified": [], "email": 5]))\"",
    ] {
      let outcome = try await exchange((200, "{\"refresh_token\":\"r1\"\(rest)}"))
      #expect(
        outcome == .success(.granted(ProviderGrant(client: "com.example.alpha", secret: Array("r1".utf8)))), "\(rest)")
    }
    #expect(try await exchange((200, "{\"access_token\":\"a\"}")) == .success(.done))
  }

  @Test("a grant of another user's code is not kept")
  func another() async throws {
    let outcome = try await exchange(
      (200, "{\"refresh_token\":\"r1\",\"id_token\":\"\(idToken(["sub": "someone"]))\"}"))
    guard case .success(.refused(let failure)) = outcome else { return #expect(Bool(false), "it is refused") }
    #expect(failure.status == 409 && failure.code == "apple_account_mismatch")
  }

  @Test("B94 B95 Apple's trouble and a bad key are tried again and told as what they are; a bad code is not")
  func failures() async throws {
    for (status, body, reason, isFinal) in [
      (400, "{\"error\":\"invalid_client\"}", "invalid_client", false),
      (400, "{\"error\":\"invalid_grant\"}", "invalid_grant", true),
      (400, "{\"error\":\"news\"}", "unexpected answer", false), (400, "", "unexpected answer", false),
      (401, "<html>", "unexpected answer", false), (200, "<html>", "unexpected answer", false),
      (200, "", "unexpected answer", false),
      (503, "", "status of a failing service", false), (302, "", "status of a failing service", false),
    ] {
      #expect(
        try await exchange((status, body)) == .failure(TaskFailure(reason, isFinal: isFinal)), "\(status) \(body)")
    }
    #expect(try await exchange(nil) == .failure(TaskFailure("nothing answers")))
    await services.loseKey()
    #expect(try await exchange((200, "")) == .failure(TaskFailure("no sign-in key")))
  }

  @Test("B86 B87 a release posts the documented names, and an empty 200 is success")
  func releases() async throws {
    await services.answer((200, ""))
    let grant = ProviderGrant(client: "com.example.beta", secret: Array("r1".utf8))
    #expect(await perform(.release(grant)) == .success(.done))
    #expect(await services.posts[0].url == "https://appleid.apple.com/auth/revoke")
    #expect(
      await fields(0) == [
        "client_id": "com.example.beta", "client_secret": "secret-1", "token": "r1", "token_type_hint": "refresh_token",
      ])
    await services.answer((400, "{\"error\":\"invalid_client\"}"))
    #expect(await perform(.release(grant)) == .failure(TaskFailure("invalid_client")))
  }

  @Test("no client id breaks out of the claims of a secret")
  func quoting() async throws {
    for (client, subject) in [
      ("a\",\"sub\":\"b", "a,sub:b"), ("a\"\u{301},\"sub\":\"b", "a\u{301},sub:b"), ("a\n\\", "a"),
    ] {
      let services = FakeServices(now: SignInCase.now)
      await services.answer((200, ""))
      let release = ProviderTask.release(ProviderGrant(client: client, secret: [1]))
      _ = try await provider.perform(TaskRequest(app: app, task: release), using: services)
      let claims = try JSONDecoder().decode(Secret.self, from: Data(try #require(await services.signed.first)))
      #expect(claims.sub == subject)
    }
  }

  @Test("a check finds out that the user has withdrawn, and takes trouble for nothing of the kind")
  func checks() async throws {
    let grant = ProviderGrant(client: "com.example.alpha", secret: Array("r1".utf8))
    await services.answer(
      (200, "{}"), (400, "{\"error\":\"invalid_grant\"}"), (400, "{\"error\":\"invalid_client\"}"), nil)
    #expect(await perform(.check(grant)) == .success(.done))
    #expect(await fields(0)["grant_type"] == "refresh_token")
    #expect(await perform(.check(grant)) == .success(.withdrawn))
    #expect(await perform(.check(grant)) == .failure(TaskFailure("invalid_client")))
    #expect(await perform(.check(grant)) == .failure(TaskFailure("nothing answers")))
  }

  private func deletion(_ body: String = "{\"authorizationCode\":\"code-1\"}") async -> Result<
    [UInt8]?, ProviderFailure
  > {
    let request = DeletionRequest(
      app: app, subject: "s1", client: "com.example.beta", body: Array(body.utf8), requestID: "r")
    do throws(ProviderFailure) {
      return .success(try await provider.prepareDeletion(request, using: services))
    } catch {
      return .failure(error)
    }
  }

  /// What comes of a deletion's code with these answers of Apple's.
  private func exchangeForDeletion(
    _ answers: (status: Int, body: String)?...
  ) async throws -> Result<TaskOutcome, TaskFailure> {
    let followUp = try #require(try await deletion().get())
    #expect(!String(decoding: followUp, as: UTF8.self).contains("s1"), "what waits does not know people")
    for answer in answers { await services.answer(answer) }
    return await perform(.followUp(followUp))
  }

  private func granted(_ client: String, _ secret: String) -> Result<TaskOutcome, TaskFailure> {
    .success(.granted(ProviderGrant(client: client, secret: Array(secret.utf8))))
  }

  @Test("a deletion's code is not used before it is kept; then it is tried with the client of the last sign-in first")
  func deletes() async throws {
    _ = try await deletion().get()
    #expect(await services.posts.isEmpty)
    #expect(
      try await exchangeForDeletion((200, "{\"refresh_token\":\"r1\",\"id_token\":\"\(idToken(["sub": "s1"]))\"}"))
        == granted("com.example.beta", "r1"))
    #expect(await services.posts.count == 1)
    #expect(
      try await exchangeForDeletion((400, "{\"error\":\"invalid_grant\"}"), (200, "{\"refresh_token\":\"r2\"}"))
        == granted("com.example.alpha", "r2"))
  }

  @Test("a deletion's code of another Apple account is refused, a bad one nothing, and trouble at Apple work for later")
  func deletionFailures() async throws {
    let foreign = try await exchangeForDeletion(
      (200, "{\"refresh_token\":\"r1\",\"id_token\":\"\(idToken(["sub": "s2"]))\"}"))
    guard case .success(.refused(let failure)) = foreign else { return #expect(Bool(false), "it is refused") }
    #expect(failure.status == 409 && failure.code == "apple_account_mismatch")
    let bad = (status: 400, body: "{\"error\":\"invalid_grant\"}")
    #expect(try await exchangeForDeletion(bad, bad) == .failure(TaskFailure("invalid_grant", isFinal: true)))
    #expect(await deletion("{\"authorizationCode\":null}") == .success(nil))
    guard case .failure(let type) = await deletion("{\"authorizationCode\":5}") else { return #expect(Bool(false)) }
    #expect(type.status == 400 && type.code == "invalid_request")
    #expect(try await exchangeForDeletion() == .failure(TaskFailure("nothing answers")))
  }
}
