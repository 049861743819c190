import ProviderKit

/// What proves to Apple that a call comes from the app's developer: a JWT by the app's sign-in key, made anew for each
/// call, so that none is worth stealing.
enum ClientSecret {
  /// Seconds that a secret is good. Apple allows half a year.
  private static let lifetime: Int64 = 300
  /// Seconds that the time of issue lies in the past: Apple refuses one that is ahead of its own clock.
  private static let backdating: Int64 = 60

  /// The secret for calls in the name of `client`.
  static func text(
    client: String, of app: AppDescription, settings: AppleSettings, using services: any ProviderServices
  ) async throws(AppleFailure) -> String {
    guard app.hasSignInKey, let team = app.teamID else { throw .noKey }
    let issuedAt = await services.now / 1000 - backdating
    let claims =
      "{\"iss\":\(quoted(team)),\"iat\":\(issuedAt),\"exp\":\(issuedAt + lifetime),"
      + "\"aud\":\(quoted(settings.issuer)),\"sub\":\(quoted(client))}"
    do throws(CallFailure) {
      return try await services.sign(Array(claims.utf8))
    } catch {
      throw .noKey
    }
  }

  /// Team, client and issuer come from checked configuration and have neither quotes nor controls; a text that had
  /// some would lose them rather than break out.
  private static func quoted(_ text: String) -> String {
    // By scalars: a quote and a mark that combines with it are one character.
    let kept = text.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\"" && $0 != "\\" }
    return "\"\(String(String.UnicodeScalarView(kept)))\""
  }
}
