import FoundationEssentials
import ProviderKit

/// Who is asked about a token.
enum Authority: Equatable {
  /// An OpenID issuer that the app lists, by its keys.
  case issuer(String)
  /// The app's own verifier.
  case verifier

  private struct Claims: Decodable {
    let iss: String?
  }

  /// A token of an issuer that the app lists is that issuer's to prove, and nobody else's: a bad one is never shown to
  /// the verifier. All others are the verifier's, where there is one.
  ///
  /// What the token says of itself chooses among those that the app lists, and decides nothing else (RFC 8725
  /// section 3.10).
  ///
  /// - Parameter name: the issuer that the body names, if it does.
  init(for token: String, named name: String?, in relay: RelayDescription) throws(ProviderFailure) {
    let claimed = Self.unverifiedIssuer(of: token)
    let listed = { (text: String) in relay.issuers.first { ByteText.areSame($0.issuer, text) }?.issuer }
    if let name, let claimed, !ByteText.areSame(name, claimed) {
      throw .invalidToken("another issuer than the body names")
    }
    if let issuer = (name ?? claimed).flatMap(listed) {
      self = .issuer(issuer)
    } else if relay.hasVerifier {
      self = .verifier
    } else if name == nil && claimed == nil {
      throw .invalidToken("no issuer")
    } else {
      throw .invalidToken("issuer not listed")
    }
  }

  /// What `iss` says before anything is proven; nil where the token is no JWT, or has none.
  private static func unverifiedIssuer(of token: String) -> String? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = ByteText.bytes(base64URL: parts[1]) else { return nil }
    return (try? JSONDecoder().decode(Claims.self, from: Data(payload)))?.iss
  }
}
