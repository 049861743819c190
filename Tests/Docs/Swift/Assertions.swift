import Crypto
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Judges the values of `X-Speed-Assertion`.
actor Assertions {
  struct Claims: Decodable, Sendable {
    let iss: String
    let aud: String
    let exp: Double
    let sub: String?
    let uuid: String?
  }

  private struct Header: Decodable { let alg, kid: String }
  private struct KeySet: Decodable { let keys: [Key] }
  private struct Key: Decodable { let kid, x, y: String }

  private let issuer: String
  private let keySet: URL
  private let app: Int
  private var keys: [String: P256.Signing.PublicKey] = [:]
  private var fetchedAt = Date.distantPast

  /// - Parameters:
  ///   - issuer: `https://api.speed.so`, exactly as assertions have it.
  ///   - keySet: `/.well-known/jwks.json` there.
  init(issuer: String, keySet: URL, app: Int) {
    (self.issuer, self.keySet, self.app) = (issuer, keySet, app)
  }

  /// Whom the gateway vouches for; nil where it vouches for nobody.
  func claims(of assertion: String) async throws -> Claims? {
    let parts = assertion.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let head = Self.bytes(parts[0]), let payload = Self.bytes(parts[1]),
      let signature = Self.bytes(parts[2]), let header = try? JSONDecoder().decode(Header.self, from: head),
      header.alg == "ES256", let key = try await key(header.kid),
      let sealed = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
      key.isValidSignature(sealed, for: Data("\(parts[0]).\(parts[1])".utf8)),
      let claims = try? JSONDecoder().decode(Claims.self, from: payload),
      claims.iss == issuer, claims.aud == "app:\(app)", claims.exp > Date().timeIntervalSince1970 - 5
    else { return nil }
    return claims
  }

  private func key(_ id: String) async throws -> P256.Signing.PublicKey? {
    let age = -fetchedAt.timeIntervalSinceNow
    if age > 300 || (keys[id] == nil && age > 10) {
      fetchedAt = Date()
      let (data, _) = try await URLSession.shared.data(from: keySet)
      for each in try JSONDecoder().decode(KeySet.self, from: data).keys {
        guard let x = Self.bytes(each.x), let y = Self.bytes(each.y) else { continue }
        keys[each.kid] = try P256.Signing.PublicKey(rawRepresentation: x + y)
      }
    }
    return keys[id]
  }

  private static func bytes(_ text: String) -> Data? {
    let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    return Data(base64Encoded: standard + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
  }
}
