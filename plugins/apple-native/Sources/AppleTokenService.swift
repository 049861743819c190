import FoundationEssentials
import ProviderKit

/// Apple's token services in the name of one app (Sign in with Apple REST API).
struct AppleTokenService {
  let app: AppDescription
  let settings: AppleSettings
  let services: any ProviderServices

  /// What an exchange brings. It is read leniently: the code is used up whatever the answer looks like, and what it
  /// holds must not be lost for the sake of a claim.
  struct Tokens: Decodable {
    let refreshToken: String?
    /// The `sub` of the id token that came along, where it can be read. It needs no check of its signature, as it came
    /// from Apple directly (OpenID Connect Core section 3.1.3.7).
    let subject: String?

    private enum CodingKeys: String, CodingKey {
      case refreshToken = "refresh_token"
      case idToken = "id_token"
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      refreshToken = (try? members.decode(String.self, forKey: .refreshToken)).flatMap { $0.isEmpty ? nil : $0 }
      subject = (try? members.decode(String.self, forKey: .idToken)).flatMap(Self.subject)
    }

    private static func subject(of token: String) -> String? {
      let parts = token.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 3, let payload = ByteText.bytes(base64URL: parts[1]) else { return nil }
      return AppleClaims(payload: payload)?.subject
    }
  }

  /// Exchanges a code, which is good once and for five minutes.
  ///
  /// - Parameter redirectURI: that of the authorization; nil for a code of an app, which has none and must send none.
  func exchange(
    code: String, client: String, redirectURI: String? = nil
  ) async throws(AppleFailure) -> Tokens {
    var fields = [FormPost.Field("grant_type", "authorization_code"), FormPost.Field("code", code)]
    if let redirectURI { fields.append(FormPost.Field("redirect_uri", redirectURI)) }
    let body = try await post(fields, to: settings.tokenURL, client: client)
    guard let tokens = try? JSONDecoder().decode(Tokens.self, from: Data(body)) else { throw .unexpected }
    return tokens
  }

  /// Whether a refresh token still stands. Apple asks for one such call a day at most.
  ///
  /// - Throws: `refused(.invalidGrant)` where its user has withdrawn it.
  func check(refreshToken: String, client: String) async throws(AppleFailure) {
    _ = try await post(
      [FormPost.Field("grant_type", "refresh_token"), FormPost.Field("refresh_token", refreshToken)],
      to: settings.tokenURL, client: client)
  }

  /// Revokes a refresh token. Apple answers 200 to unknown ones too: more can't be known.
  func revoke(refreshToken: String, client: String) async throws(AppleFailure) {
    _ = try await post(
      [FormPost.Field("token", refreshToken), FormPost.Field("token_type_hint", "refresh_token")],
      to: settings.revokeURL, client: client)
  }

  /// The body of an answer with status 200.
  func post(
    _ fields: [FormPost.Field], to url: String, client: String, bearer: String? = nil
  ) async throws(AppleFailure) -> [UInt8] {
    let secret = try await ClientSecret.text(client: client, of: app, settings: settings, using: services)
    let form = FormPost(
      to: url, [FormPost.Field("client_id", client), FormPost.Field("client_secret", secret)] + fields, bearer: bearer)
    let answer: CallAnswer
    do throws(CallFailure) {
      answer = try await services.post(form)
    } catch {
      throw .unreachable(error.reason)
    }
    switch answer.status {
    case 200: return answer.body
    case 400..<500:
      guard let error = try? JSONDecoder().decode(ErrorAnswer.self, from: Data(answer.body)),
        let code = AppleFailure.Code(rawValue: error.error)
      else { throw .unexpected }
      throw .refused(code)
    default: throw .unreachable("status of a failing service")
    }
  }

  private struct ErrorAnswer: Decodable {
    let error: String
  }
}
