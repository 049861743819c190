import Foundation
import PluginTesting
import ProviderKit
import Testing

@Suite("A token that the app's verifier vouches for") struct VerifierTests {
  private let good = "{\"subject\":\"u-1\",\"email\":\"ada@example.org\",\"emailVerified\":true,\"name\":\"Ada\"}"

  private func outcome(_ status: Int, _ body: String) async -> String {
    let sample = RelayCase.vouched
    await sample.services.answer((status, body))
    return await sample.outcome()
  }

  @Test("the verifier is asked with token, app and nonce, and what it says is the identity")
  func asked() async throws {
    let sample = RelayCase.vouched.with { $0.body["nonce"] = "n" }
    await sample.services.answer((200, good))
    let identity = try await sample.run()
    #expect(identity.issuer == "verifier" && identity.subject == "u-1" && identity.client == nil)
    #expect(identity.email == "ada@example.org" && identity.emailVerified && identity.fullName == "Ada")
    let question = try #require(await sample.services.questions.first)
    #expect(String(decoding: question, as: UTF8.self) == #"{"appId":123,"nonce":"n","subjectToken":"opaque-token"}"#)
  }

  @Test("without a nonce none is asked for, and the body's name counts before the verifier's")
  func shortest() async throws {
    let sample = RelayCase.vouched.with { $0.body["fullName"] = "Zoë" }
    await sample.services.answer((200, good))
    #expect(try await sample.run().fullName == "Zoë")
    let question = try #require(await sample.services.questions.first)
    #expect(String(decoding: question, as: UTF8.self) == #"{"appId":123,"subjectToken":"opaque-token"}"#)
  }

  @Test("a subject alone is enough; an address is verified only where it says so")
  func least() async throws {
    let sample = RelayCase.vouched
    await sample.services.answer((200, #"{"subject":"u-1"}"#), (200, #"{"subject":"u-1","email":"a@b.example"}"#))
    let first = try await sample.run()
    #expect(first.email == nil && first.fullName == nil && !first.emailVerified)
    let second = try await sample.run()
    #expect(second.email == "a@b.example" && !second.emailVerified)
  }

  @Test("401 is a bad token; all else is no answer")
  func statuses() async {
    #expect(await outcome(401, "") == refused("the verifier refuses it"))
    for status in [201, 204, 301, 400, 403, 404, 429, 500, 503] {
      #expect(
        await outcome(status, good)
          == "503 provider_unavailable (the verifier answers with an unexpected status)")
    }
  }

  @Test("an answer that is not what it should be is no answer")
  func malformed() async {
    for body in [
      "", "[]", "{}", "x", #"{"subject":1}"#, #"{"subject":""}"#, #"{"subject":"a\nb"}"#, #"{"subject":null}"#,
      #"{"subject":"u","email":1}"#, #"{"subject":"u","emailVerified":"true"}"#, #"{"subject":"u","name":[]}"#,
    ] {
      #expect(await outcome(200, body) == "503 provider_unavailable (the verifier's answer is malformed)", "\(body)")
    }
  }

  @Test("a verifier that does not answer is 503 with a time after which to try again")
  func silent() async {
    let failure = await RelayCase.vouched.failure()
    #expect(failure?.status == 503 && failure?.code == "provider_unavailable" && failure?.retryAfter == 5)
    #expect(failure?.reason == "the verifier: nothing answers")
  }

  @Test("a token of a listed issuer is never shown to the verifier, also where it is bad; all others are")
  func choice() async {
    let both = RelayCase().with { $0.relay = RelayDescription(issuers: $0.relay.issuers, hasVerifier: true) }
    let forged = both.with { $0.signingKey = "x" }
    #expect(await forged.outcome() == refused("signature"))
    #expect(await forged.services.questions.isEmpty)
    let foreign = both.with { $0.claims["iss"] = "https://elsewhere.example" }
    await foreign.services.answer((200, good))
    #expect(await foreign.outcome() == "signed in")
    let opaque = RelayCase.vouched.with { $0.relay = both.relay }
    await opaque.services.answer((200, good))
    #expect(await opaque.outcome() == "signed in")
  }

  @Test("a token counts within its app, and is remembered for thirty days")
  func replayKeys() async throws {
    func keys(_ change: (inout RelayCase) -> Void) async throws -> [ReplayKey] {
      let sample = RelayCase.vouched.with(change)
      await sample.services.answer((200, good))
      return try await sample.run().replayKeys
    }
    let key = try await keys { _ in }
    #expect(key.count == 1 && key[0].expiresAt == RelayCase.now + 30 * 86_400_000)
    #expect(try await keys { $0.body["nonce"] = "n" } == key)
    #expect(try await keys { $0.appID = 124 } != key)
    #expect(try await keys { $0.token = "opaque-token-" } != key)
  }
}
