import GatewayBase
import GatewayIdentity

extension Settings {
  /// The signing keys; a first one is made where there is none.
  func keys() throws -> SigningKeys { try SigningKeys(folder: configuration.tokenKeys) }

  /// The signing keys, nil where there is none. Nothing is made: what this user makes, the gateway's may be unable to read.
  func existingKeys() throws -> SigningKeys? {
    try SigningKeys.exist(in: configuration.tokenKeys) ? try keys() : nil
  }

  /// Judges a token of the gateway, as a request with it would be, but for revocations.
  func verdict(on token: [UInt8], now: UnixTime) throws -> Result<AccessToken, AccessTokenVerifier.Rejection> {
    guard let keys = try existingKeys() else { return .failure(.unknownKey) }
    return AccessTokenVerifier(keys: keys, issuer: configuration.platform.publicURL.description)
      .verify(token, app: nil, now: now)
  }
}
