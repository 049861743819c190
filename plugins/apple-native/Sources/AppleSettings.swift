/// The section `apple` of gateway.yaml.
struct AppleSettings {
  /// The one value of `iss` that counts. It is configured, never discovered: Apple's discovery document once changed
  /// overnight while tokens did not.
  let issuer: String
  // Where Apple's services are; each follows from the issuer where the section does not say.
  let keySetURL: String
  let tokenURL: String
  let revokeURL: String
  let migrationURL: String
  let authorizeURL: String

  init(_ section: [String: String]) {
    issuer = section["issuer"] ?? "https://appleid.apple.com"
    keySetURL = section["keysUrl"] ?? issuer + "/auth/keys"
    tokenURL = section["tokenUrl"] ?? issuer + "/auth/token"
    migrationURL = section["migrationUrl"] ?? issuer + "/auth/usermigrationinfo"
    authorizeURL = issuer + "/auth/authorize"
    revokeURL = section["revokeUrl"] ?? issuer + "/auth/revoke"
  }
}
