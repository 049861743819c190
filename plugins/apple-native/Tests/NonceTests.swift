import Foundation
import PluginTesting
import ProviderKit
import Testing

@Suite("The nonce, and what can't be used twice")
struct NonceTests {
  @Test("B3 the raw nonce is hashed before it is compared")
  func right() async {
    #expect(await SignInCase().outcome() == "signed in")
  }

  @Test("B1 B2 B9 only the lowercase hex of the raw nonce's SHA-256 matches")
  func encodings() async {
    let digest = SHA256.digest(Array(SignInCase.rawNonce.utf8))
    let hex = hexDigest(SignInCase.rawNonce)
    for claim in [
      Data(digest).base64EncodedString(), FakeServices.encode(Data(digest)), hex.uppercased(), hex + " ",
      String(hex.dropLast()), SignInCase.rawNonce, "",
    ] {
      let sample = SignInCase().with { $0.claims["nonce"] = claim }
      #expect(await sample.outcome() == "401 invalid_identity_token (nonce mismatch)")
    }
    let hashAsRaw = SignInCase().with { $0.body["rawNonce"] = hex }
    #expect(await hashAsRaw.outcome() == "401 invalid_identity_token (nonce mismatch)")
  }

  @Test("B5 a token without the claim is refused, whatever nonce_supported says")
  func noClaim() async {
    for supported in [true, false, Absent()] as [Any] {
      for nonce in [Absent(), NSNull(), 1, ["a"]] as [Any] {
        let sample = SignInCase().with {
          $0.claims["nonce"] = nonce
          $0.claims["nonce_supported"] = supported
        }
        #expect(await sample.outcome() == "401 invalid_identity_token (no nonce claim)")
      }
    }
  }

  @Test("B10 a raw nonce is required, of 32 characters at least")
  func required() async {
    let none = SignInCase().with { $0.body = [:] }
    #expect(await none.outcome() == "401 invalid_identity_token (no raw nonce)")
    #expect(
      await none.with { $0.body["rawNonce"] = NSNull() }.outcome() == "401 invalid_identity_token (no raw nonce)")
    for (count, outcome) in [
      (0, "401 invalid_identity_token (raw nonce too short)"),
      (31, "401 invalid_identity_token (raw nonce too short)"), (32, "signed in"),
    ] {
      let raw = String(repeating: "n", count: count)
      let sample = SignInCase().with {
        $0.body["rawNonce"] = raw
        $0.claims["nonce"] = hexDigest(raw)
      }
      #expect(await sample.outcome() == outcome)
    }
  }

  @Test("B7 a token used twice has the same replay keys, until it can't be accepted any more")
  func sameToken() async throws {
    let sample = SignInCase()
    let first = try await sample.run().replayKeys
    #expect(first.count == 2)
    #expect(first[0].digest != first[1].digest)
    #expect(first.allSatisfy { $0.digest.count == 32 })
    #expect(first.allSatisfy { $0.expiresAt == (SignInCase.nowSeconds + 86_400 + 60) * 1000 })
    #expect(try await sample.run().replayKeys == first)
  }

  @Test("B7 another signature of the same claims makes no second token")
  func otherSignature() async throws {
    let sample = SignInCase()
    let keys = try await sample.run().replayKeys
    #expect(try await sample.with { $0.token = sample.signedToken + "-" }.run().replayKeys == keys)
  }

  @Test("B7 another token with the same nonce shares the nonce's key alone; another nonce shares none")
  func otherToken() async throws {
    let keys = try await SignInCase().run().replayKeys.map(\.digest)
    let sameNonce = try await SignInCase().with { $0.claims["iat"] = SignInCase.nowSeconds - 1 }.run()
    #expect(sameNonce.replayKeys[0].digest != keys[0])
    #expect(sameNonce.replayKeys[1].digest == keys[1])
    let raw = "another-nonce-with-thirty-two-characters"
    let otherNonce = try await SignInCase().with {
      $0.body["rawNonce"] = raw
      $0.claims["nonce"] = hexDigest(raw)
    }.run()
    #expect(Set(otherNonce.replayKeys.map(\.digest)).isDisjoint(with: keys))
  }

  @Test("two apps may use the same nonce")
  func otherApp() async throws {
    let keys = try await SignInCase().run().replayKeys
    let other = try await SignInCase().with {
      $0.app = AppDescription(appID: 124, name: "Beta", bundleIDs: ["com.example.alpha"])
    }.run()
    #expect(other.replayKeys[1].digest != keys[1].digest)
  }
}
