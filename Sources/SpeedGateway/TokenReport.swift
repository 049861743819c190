import GatewayBase
import GatewayCrypto
import GatewayIdentity

/// What `token inspect` tells of a token.
struct TokenReport {
  /// What the store knows of the token.
  enum Revocation: Equatable {
    case none
    case revoked
    /// It is a ticket that was not used in time.
    case unused
    /// The clause says why it could not be asked.
    case unknown(String)
  }

  /// Taken apart, not yet believed; nil where the text is no signed token.
  private let jws: CompactJWS?
  private let verdict: Result<AccessToken, AccessTokenVerifier.Rejection>
  private let revocation: Revocation

  init(
    _ token: [UInt8], verdict: Result<AccessToken, AccessTokenVerifier.Rejection>, revocation: Revocation
  ) {
    jws = CompactJWS(parsing: token)
    self.verdict = verdict
    self.revocation = revocation
  }

  /// Whether a request with the token would pass.
  var isGood: Bool {
    if case .success = verdict { revocation != .revoked && revocation != .unused } else { false }
  }

  /// The verdict, then the claims: unproven ones where the verdict is not good.
  var text: String {
    var rows = [["token", standing]]
    if case .success = verdict { rows.append(["revoked", revocationText]) }
    if let jws {
      rows.append(["kid", JSONText.quoted(jws.kid ?? "")])
      rows += (try? JSONValue(parsing: jws.payload))?.object.map(claimRows) ?? []
    }
    return TextTable.aligned(rows)
  }

  private var standing: String {
    switch verdict {
    case .failure(let rejection): "not good: \(rejection)"
    case .success where revocation == .revoked: "not good: it was revoked"
    case .success where revocation == .unused: "not good: it is a ticket that was not used in time"
    case .success: "good"
    }
  }

  private var revocationText: String {
    switch revocation {
    case .none, .unused: "no"
    case .revoked: "yes"
    case .unknown(let reason): "not known: \(reason)"
    }
  }

  /// Claims in the order of the contract, others behind them by name; times also as dates.
  private func claimRows(_ claims: [String: JSONValue]) -> [[String]] {
    let known = ["iss", "sub", "aud", "iat", "exp", "jti", "role", "local", "uuid"]
    let names = known.filter { claims[$0] != nil } + claims.keys.filter { !known.contains($0) }.sorted()
    return names.map { name in
      let value = claims[name] ?? .null
      let date = ["iat", "exp", "nbf"].contains(name) ? value.integer.flatMap(Self.date) : nil
      return [
        String(JSONText.quoted(name).dropFirst().dropLast()),
        String(decoding: value.jsonText, as: UTF8.self) + (date.map { " (\($0))" } ?? ""),
      ]
    }
  }

  /// Nil for times that no clock shows.
  private static func date(_ seconds: Int64) -> String? {
    (0...253_402_300_799).contains(seconds) ? UnixTime(seconds: seconds).rfc3339 : nil
  }
}
