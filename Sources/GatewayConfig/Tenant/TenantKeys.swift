import GatewayBase

/// The keys of a tenant's file.
enum TenantKeys {
  static let appID = Key.required(
    "appId", ValueType<Int64>.integer(1...9_007_199_254_740_991).placed, "The app's number, unique in the gateway.",
    example: "123")
  static let name = Key.required("name", .text("a name"), "The app's name, as users see it.", example: "Notes")
  static let logo = Key.optional(
    "logo", .logoFile, "A picture that pages show beside the name: .png, .svg, .webp or .jpg, 12 KiB at most.",
    example: "notes.svg")
  static let domains = Key.required(
    "domains", ValueType<HostName>.domain.placed.list(minimum: 1, isUnique: true),
    "The hosts on which the app answers; no two apps share one.",
    example: "[notes.example.com]")
  static let owner = Key.optional(
    "owner", .emailAddress, "The regular account that pays for resources.", example: "owner@example.com", .later)
  static let ios = Key.optional("ios", .ios, "What Sign in with Apple needs to know of the app.")
  static let redirects = DefaultedKey(
    "redirects", ValueType<ServiceURL>.redirect.list(), [],
    "Exact targets of sign-in redirects, besides the app's schemes and domains.",
    example: "[https://notes.example.com/signed-in]")
  static let providers = DefaultedKey(
    "providers", ValueType<String>.identifier("the name of a plugin").placed.list(isUnique: true), [],
    "The plugins through which users may sign in.", shownAs: "[]", example: "[apple-native]")
  static let relay = Key.optional(
    "relay", .relay, "Sign-ins that were made elsewhere and become accounts here, through the plugin relay.",
    otherwise: "none")
  static let sessions = DefaultedKey(
    "sessions", .sessions, SessionConfiguration(), "How long a sign-in lasts.", shownAs: "{ lifetime: 7d }")
  static let usage = DefaultedKey(
    "usage", .usage, UsageConfiguration(), "Who pays for what users use.", shownAs: "{ source: none }")
  static let serverKeys = DefaultedKey(
    "serverKeys", ValueType<Placed<ServerKey>>.serverKey.list(), [],
    "Secrets by which the app's own services call the platform API.", shownAs: "[]",
    example: "[{ id: main, env: NOTES_SERVER_KEY }]")
  static let backends = Key.required(
    "backends", .named(.backend, minimum: 1), "Groups of servers that answer alike, each under a name.",
    example: "{ api: { servers: [http://127.0.0.1:9001] } }")
  static let routes = Key.required(
    "routes", ValueType<RouteDraft>.route.list(minimum: 1),
    "What happens to requests; the longest matching path decides.",
    example: "[{ path: /, backend: api }]")
  static let cors = Key.optional(
    "cors", .cors, "Origins whose pages may call the app.", otherwise: "none",
    example: "{ origins: [https://notes.example.com] }")
  static let requestFrom = DefaultedKey(
    "requestFrom",
    ValueType<String>.identifier("a value of X-Speed-Request-From").placed.list(minimum: 1, isUnique: true),
    ["app", "web"].map { Placed(value: $0, place: .start) }, "The values of X-Speed-Request-From that the app takes.",
    shownAs: "[app, web]")
  static let paths = DefaultedKey(
    "paths", .choice(), PathTreatment.canonical,
    "Whether paths are brought to one form, or pass untouched and out of reach of rules.")
  static let methodOverride = DefaultedKey(
    "methodOverride", .boolean, false, "Whether the X-HTTP-Method-Override family of headers reaches the backend.")
  static let onClientGone = DefaultedKey(
    "onClientGone", .choice(), ClientGoneRule.cancel, "What happens to the backend's work when the client hangs up.")

  static let schema = MappingSchema(
    "a tenant",
    [
      appID.row, name.row, logo.row, domains.row, owner.row, ios.row, redirects.row, providers.row, relay.row,
      sessions.row, usage.row, serverKeys.row, backends.row, routes.row, cors.row, requestFrom.row, paths.row,
      methodOverride.row, onClientGone.row,
    ],
    rules: [
      // With opaque paths no rule may depend on the path.
      .never(
        .members([
          "properties": .members([
            "paths": .members(["const": .text(PathTreatment.opaque.rawValue)]),
            "routes": .members([
              "type": .text("array"),
              "contains": .members([
                "type": .text("object"), "required": .texts(["path"]),
                "properties": .members(["path": .members(["not": .members(["const": .text("/")])])]),
              ]),
            ]),
          ]), "required": .texts(["paths", "routes"]),
        ]))
    ])
}

extension ValueType where Value == String {
  /// An address of mail; what is none is not quoted.
  static var emailAddress: ValueType {
    .text("an email address", pattern: TextPattern.emailAddress) { text throws(ValueFault) in
      let parts = text.split(separator: "@", omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), text.utf8.count <= 320,
        text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != 0x3C && $0 != 0x3E && $0 != 0x2C })
      else { throw ValueFault("this is not an email address", hint: "write one plain address, as name@example.com") }
      return text
    }
  }
}
