import Foundation
import PluginTesting
import ProviderKit
import Testing

@Suite("A relayed token: nonce and replay") struct NonceTests {
  private func keys(_ change: (inout RelayCase) -> Void) async throws -> [ReplayKey] {
    try await RelayCase().with(change).run().replayKeys
  }

  @Test("a nonce in the body must be the token's, as it is")
  func nonce() async {
    let bound = RelayCase().with {
      $0.body["nonce"] = "nonce-1"
      $0.claims["nonce"] = "nonce-1"
    }
    #expect(await bound.outcome() == "signed in")
    #expect(await bound.with { $0.claims["nonce"] = "nonce-2" }.outcome() == refused("nonce mismatch"))
    #expect(await bound.with { $0.claims["nonce"] = "NONCE-1" }.outcome() == refused("nonce mismatch"))
    #expect(await bound.with { $0.claims["nonce"] = Absent() }.outcome() == refused("no nonce claim"))
    #expect(await bound.with { $0.claims["nonce"] = 1 }.outcome() == refused("no nonce claim"))
    #expect(await bound.with { $0.body["nonce"] = "" }.outcome() == refused("nonce mismatch"))
  }

  @Test("a claim without a nonce in the body is let be")
  func unboundNonce() async {
    #expect(await RelayCase().with { $0.claims["nonce"] = "made-by-a-library" }.outcome() == "signed in")
  }

  @Test("B7 a token is used up without its signature, until it can't be accepted any more")
  func tokenKey() async throws {
    let sample = RelayCase()
    let keys = try await sample.run().replayKeys
    #expect(keys.count == 1 && keys.allSatisfy { $0.digest.count == 32 })
    #expect(keys[0].expiresAt == (RelayCase.nowSeconds + 3600 + 60) * 1000)
    let again = try await sample.with { $0.token = sample.signedToken + "-" }.run().replayKeys
    #expect(again == keys)
    #expect(try await sample.with { $0.claims["sub"] = "user-2" }.run().replayKeys != keys)
  }

  @Test("a nonce is used up within the app and the issuer")
  func nonceKey() async throws {
    let first = try await keys { $0.claims["nonce"] = "n" }
    let second = try await keys {
      $0.claims["nonce"] = "n"
      $0.claims["jti"] = "another token"
    }
    #expect(first.count == 2 && second.count == 2)
    #expect(first[0].digest != second[0].digest && first[1].digest == second[1].digest)
    let otherApp = try await keys {
      $0.claims["nonce"] = "n"
      $0.appID = 124
    }
    let otherIssuer = try await keys {
      $0.claims["nonce"] = "n"
      $0.claims["iss"] = "https://other.example"
    }
    #expect(Set([first[1].digest, otherApp[1].digest, otherIssuer[1].digest]).count == 3)
  }
}
