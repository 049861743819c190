import AppleNative
import Foundation
import PluginTesting
import ProviderKit

/// One sign-in to judge: all is right unless a test changes it.
struct SignInCase {
  static let now: Int64 = 1_790_000_000_123
  static let nowSeconds = now / 1000
  static let rawNonce = "nonce-1-with-thirty-two-characters"

  var app = AppDescription(
    appID: 123, name: "Alpha", bundleIDs: ["com.example.alpha", "com.example.alpha.beta"], teamID: "ABCDE12345",
    servicesID: "com.example.alpha.web")
  var settings: [String: String] = ["issuer": "https://appleid.apple.com"]
  var header: [String: Any] = ["alg": "RS256", "kid": "key-2"]
  var claims: [String: Any] = [
    "iss": "https://appleid.apple.com", "aud": "com.example.alpha", "sub": "000001.0a0a0a0a.0001",
    "iat": nowSeconds, "exp": nowSeconds + 86_400, "nonce": hexDigest(rawNonce), "nonce_supported": true,
    "email": "ada@example.org", "email_verified": true,
  ]
  var signingKey = "secret-2"
  /// In place of the token that header and claims make.
  var token: String?
  var body: [String: Any] = ["rawNonce": rawNonce]
  /// In place of the body that `body` and the token make.
  var bodyText: String?
  let services = FakeServices(now: now)

  /// The token that header, claims and key make.
  var signedToken: String { FakeServices.token(header: header, claims: claims, key: signingKey) }

  /// Calls the plugin by its entry function, as the gateway does.
  func run() async throws -> VerifiedIdentity {
    let entry = unsafe Unmanaged<ProviderEntry>.fromOpaque(speedProviderEntry()).takeRetainedValue()
    await services.set(settings)
    var fields = body
    if fields["identityToken"] == nil { fields["identityToken"] = token ?? signedToken }
    if fields["identityToken"] is Absent { fields["identityToken"] = nil }
    let text = try bodyText.map { Data($0.utf8) } ?? JSONSerialization.data(withJSONObject: fields)
    let request = SignInRequest(
      app: app, route: "/api/platform/auth/apple-native", body: [UInt8](text), requestID: "request-1")
    return try await entry.provider.signIn(request, using: services)
  }

  /// What the sign-in fails with, or nil.
  func failure() async -> ProviderFailure? {
    do {
      _ = try await run()
      return nil
    } catch {
      return error as? ProviderFailure
    }
  }

  /// `status code (reason)` of the failure; `signed in` where there is none.
  func outcome() async -> String {
    await failure().map { "\($0.status) \($0.code) (\($0.reason))" } ?? "signed in"
  }

  func with(_ change: (inout SignInCase) -> Void) -> SignInCase {
    var copy = self
    change(&copy)
    return copy
  }
}

func hexDigest(_ text: String) -> String { SHA256.digest(Array(text.utf8)).map { String(format: "%02x", $0) }.joined() }
