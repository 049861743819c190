import Foundation
import PluginTesting
import ProviderKit
import RelaySignIn

/// One relayed sign-in to judge: all is right unless a test changes it.
struct RelayCase {
  static let now: Int64 = 1_790_000_000_123
  static let nowSeconds = now / 1000
  static let issuer = "https://issuer.example/tenant/"

  var relay = RelayDescription(issuers: [
    RelayDescription.Issuer(issuer: issuer, audience: "alpha"),
    RelayDescription.Issuer(issuer: issuer, audience: "alpha-web"),
    RelayDescription.Issuer(issuer: "https://other.example", audience: "alpha"),
  ])
  var appID: Int64 = 123
  var header: [String: Any] = ["alg": "ES256", "kid": "key-2"]
  var claims: [String: Any] = [
    "iss": issuer, "aud": "alpha", "sub": "user-1", "iat": nowSeconds, "exp": nowSeconds + 3600,
    "email": "ada@example.org", "email_verified": true, "name": "Ada Claim",
  ]
  var signingKey = "secret-2"
  /// In place of the token that header and claims make.
  var token: String?
  var body: [String: Any] = [:]
  /// In place of the body that `body` and the token make.
  var bodyText: String?
  let services = FakeServices(now: now)

  var signedToken: String { token ?? FakeServices.token(header: header, claims: claims, key: signingKey) }

  func run() async throws -> VerifiedIdentity {
    var fields = body
    if fields["subjectToken"] == nil { fields["subjectToken"] = signedToken }
    if fields["subjectToken"] is Absent { fields["subjectToken"] = nil }
    let text = try bodyText.map { Data($0.utf8) } ?? JSONSerialization.data(withJSONObject: fields)
    let request = SignInRequest(
      app: AppDescription(appID: appID, name: "Alpha", relay: relay), route: "/api/platform/auth/relay",
      body: [UInt8](text), requestID: "request-1")
    return try await RelayProvider().signIn(request, using: services)
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

  func with(_ change: (inout RelayCase) -> Void) -> RelayCase {
    var copy = self
    change(&copy)
    return copy
  }

  /// The same app with a verifier and no issuer.
  static var vouched: RelayCase {
    RelayCase().with {
      $0.relay = RelayDescription(hasVerifier: true)
      $0.token = "opaque-token"
    }
  }
}

/// The outcome of a token that fails a check.
func refused(_ reason: String) -> String { "401 invalid_subject_token (\(reason))" }
