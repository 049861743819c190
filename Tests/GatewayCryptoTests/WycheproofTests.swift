import Foundation
import GatewayBase
import GatewayCrypto
import Testing

@Suite("Wycheproof's vectors of signatures and keys")
struct WycheproofTests {
  @Test(
    "every signature under an RSA or EC key is judged as the vectors say, RS256 and ES256 alone being good",
    .enabled(if: SharedData.has("wycheproof/json_web_signature_test.json"), "the vectors are not beside the package"))
  func signatures() throws {
    var judged = 0
    for group in try groups("wycheproof/json_web_signature_test.json") {
      guard let jwk = group["public"] as? [String: Any], let keyType = jwk["kty"] as? String, keyType != "oct" else {
        continue
      }
      let ours = ["RS256", "ES256"].contains(jwk["alg"] as? String ?? "")
      let keys = try keySet(["keys": [jwk]])
      for test in try tests(of: group) where test["jws"] is String {
        let expected = ours && test["result"] as? String == "valid"
        #expect(accepts(test["jws"] as? String ?? "", keys) == expected, "vector \(test["tcId"] ?? "?")")
        judged += 1
      }
    }
    #expect(judged > 300)
  }

  @Test(
    "every key set with RSA or EC keys is judged as the vectors say",
    .enabled(if: SharedData.has("wycheproof/json_web_key_test.json"), "the vectors are not beside the package"))
  func keySets() throws {
    var judged = 0
    for group in try groups("wycheproof/json_web_key_test.json") {
      guard let set = group["public"] as? [String: Any] else { continue }
      let keys = try keySet(set)
      for test in try tests(of: group) {
        let expected = test["result"] as? String == "valid"
        #expect(accepts(test["jws"] as? String ?? "", keys) == expected, "vector \(test["tcId"] ?? "?")")
        judged += 1
      }
    }
    #expect(judged >= 10)
  }

  private func groups(_ name: String) throws -> [[String: Any]] {
    try #require(try SharedData.json(name)["testGroups"] as? [[String: Any]])
  }

  private func tests(of group: [String: Any]) throws -> [[String: Any]] {
    try #require(group["tests"] as? [[String: Any]])
  }

  private func keySet(_ json: [String: Any]) throws -> JSONWebKeySet {
    try JSONWebKeySet(parsing: [UInt8](try JSONSerialization.data(withJSONObject: json)))
  }

  private func accepts(_ token: String, _ keys: JSONWebKeySet) -> Bool {
    guard let jws = CompactJWS(parsing: Array(token.utf8)), let kid = jws.kid, let key = keys[kid] else { return false }
    return jws.isSigned(by: key)
  }
}

@Suite("Apple's published key sets")
struct AppleKeySetTests {
  @Test(
    "every key of every dated set can be used",
    .enabled(if: SharedData.has("apple-keys"), "the key sets are not beside the package"))
  func everyKey() throws {
    let names = try SharedData.names(in: "apple-keys").filter { $0.hasSuffix(".json") }
    #expect(names.count == 7)
    for name in names {
      let entries = try #require(try SharedData.json("apple-keys/\(name)")["keys"] as? [[String: Any]])
      let set = try JSONWebKeySet(parsing: try SharedData.bytes("apple-keys/\(name)"))
      #expect(set.count == entries.count)
      for entry in entries {
        let kid = try #require(entry["kid"] as? String)
        #expect(set[kid]?.algorithm == .rs256)
      }
    }
  }
}
