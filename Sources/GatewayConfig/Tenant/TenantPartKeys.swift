import GatewayBase

/// The keys of `ios`.
enum IOSKeys {
  static let bundleIDs = DefaultedKey(
    "bundleIds", ValueType<String>.bundleID.placed.list(isUnique: true), [],
    "The app's bundle IDs: the audiences that Apple's tokens may have.",
    shownAs: "[]", example: "[com.example.notes]")
  static let urlSchemes = DefaultedKey(
    "urlSchemes", ValueType<String>.urlScheme.placed.list(isUnique: true), [],
    "Custom URL schemes of the app, without ://.",
    shownAs: "[]", example: "[com.example.notes]")
  static let teamID = Key.optional(
    "teamId", .appleID("a team ID"), "The developer team, within which Apple's user identifiers are the same.",
    example: "ABCDE12345")
  static let signInKey = Key.optional(
    "signInKey", .signInKey, "The key for code exchange and revocation at Apple.",
    example: "{ id: KEY1234567, file: secrets/notes.p8 }")
  static let servicesID = Key.optional(
    "servicesId", .bundleID, "The Services ID for Sign in with Apple on the web.", example: "com.example.notes.web")

  static let schema = MappingSchema(
    "an iOS app", [bundleIDs.row, urlSchemes.row, teamID.row, signInKey.row, servicesID.row])
}

/// The keys of a secret that has an ID: where it comes from.
struct NamedSecretKeys: Sendable {
  let id: Key<String>
  let variable = Key<SecretSource>.optional(
    "env", .secretVariable, "The environment variable that holds it.", example: "NOTES_KEY")
  let file = Key<SecretSource>.optional(
    "file", .secretFile, "The file that holds it, relative to this file.", example: "secrets/notes.p8")
  let schema: MappingSchema

  private init(_ name: String, id: Key<String>) {
    self.id = id
    schema = MappingSchema(
      name, [id.row, variable.row, file.row],
      rules: [.one(of: [variable.row.name, file.row.name], isRequired: true)])
  }

  static let signIn = NamedSecretKeys(
    "a sign-in key", id: .required("id", .appleID("a key ID"), "The key's ID at Apple.", example: "KEY1234567"))
  static let server = NamedSecretKeys(
    "a server key", id: .required("id", .identifier("a name"), "A name for logs and rotation.", example: "main"))
}

/// The keys of `sessions`.
enum SessionKeys {
  static let lifetime = DefaultedKey(
    "lifetime", .duration(.seconds(1)...(.days(7))), Milliseconds.days(7), "How long a bearer token is good.")
  static let refresh = DefaultedKey(
    "refresh", .boolean, false, "Whether sign-in also gives a rotating refresh token.")

  static let schema = MappingSchema("session rules", [lifetime.row, refresh.row])
}

/// The keys of `usage`.
enum UsageKeys {
  static let source = DefaultedKey(
    "source", .choice(later: ["owner", "speed"]), UsageConfiguration.Source.none,
    "Whose balance pays. With local the app's server adjusts its users' balances; requests are not charged yet.")

  static let schema = MappingSchema("usage rules", [source.row])
}

/// The keys of `cors`.
enum CORSKeys {
  static let origins = Key.required(
    "origins", ValueType<String>.origin.placed.list(isUnique: true),
    "The origins, as browsers send them; or \"*\" for any.",
    example: "[https://notes.example.com]")
  static let credentials = DefaultedKey(
    "credentials", .boolean, false, "Whether pages may send cookies and other credentials along.")

  static let schema = MappingSchema(
    "CORS rules", [origins.row, credentials.row],
    rules: [
      .never(
        .members([
          "properties": .members([
            "origins": .members(["type": .text("array"), "contains": .members(["const": .text("*")])]),
            "credentials": .members(["const": .bool(true)]),
          ]),
          "required": .texts(["origins", "credentials"]),
        ])),
      .never(
        .members([
          "properties": .members([
            "origins": .members([
              "type": .text("array"), "contains": .members(["const": .text("*")]), "minItems": .integer(2),
            ])
          ]),
          "required": .texts(["origins"]),
        ])),
    ])
}

/// The keys of `relay`.
enum RelayKeys {
  static let issuers = DefaultedKey(
    "issuers", ValueType<Placed<RelayConfiguration.Issuer>>.issuer.list(), [],
    "OpenID issuers whose tokens become sign-ins.",
    shownAs: "[]")
  static let verifier = Key.optional("verifier", .verifier, "A service of the app's own that judges tokens.")

  static let schema = MappingSchema("relay rules", [issuers.row, verifier.row])
}

/// The keys of an issuer under `relay`.
enum IssuerKeys {
  static let issuer = Key.required(
    "issuer", .issuerURL, "The issuer's URL, to the byte as its tokens have it in iss.",
    example: "https://securetoken.google.com/notes")
  static let audience = Key.required(
    "audience", .text("an audience"), "The audience that its tokens must have; for several, list the issuer again.",
    example: "notes")

  static let schema = MappingSchema("an issuer", [issuer.row, audience.row])
}

/// The keys of `relay.verifier`.
enum VerifierKeys {
  static let url = Key.required(
    "url", .outboundURL, "Where tokens are sent.", example: "https://notes.example.com/verify")
  static let secretEnv = Key<SecretSource>.optional(
    "secretEnv", .secretVariable, "The environment variable with the secret that signs requests.",
    example: "NOTES_VERIFIER")
  static let secretFile = Key<SecretSource>.optional(
    "secretFile", .secretFile, "The file with that secret.", example: "secrets/verifier")

  static let schema = MappingSchema(
    "a verifier", [url.row, secretEnv.row, secretFile.row],
    rules: [.one(of: [secretEnv.row.name, secretFile.row.name], isRequired: true)])
}
