/// What the reference tells of a code that the gateway answers requests with, for whoever runs it.
struct RefusalGuide {
  let code: String
  let statuses: String
  /// When a request gets it.
  let meaning: String
  /// A request that gets it.
  let example: String
  let mend: String

  init(_ code: String, _ statuses: String, _ meaning: String, example: String, mend: String) {
    self.code = code
    self.statuses = statuses
    self.meaning = meaning
    self.example = example
    self.mend = mend
  }

  /// All codes of the product, in the order of their statuses.
  static let all = requests + routes + tokens + signIns + linking + backends

  private static let requests = [
    RefusalGuide(
      "bad_request", "400", "The head is not one that every reader takes alike: framing, host, target or a field.",
      example: "`GET /a HTTP/1.1` with two `Host` lines", mend: "Mend the client; nothing in a file lets it pass."),
    RefusalGuide(
      "invalid_request", "400", "The request is well-formed, but not what this path takes; a token in the URL for one.",
      example: "`GET /v1/notes?access_token=…`", mend: "Send what `message` of the answer says."),
    RefusalGuide(
      "request_timeout", "408", "The head or the body did not arrive in time.",
      example: "a head of which the last line never comes",
      mend: "`limits.headTimeout` and `limits.bodyTimeout` in gateway.yaml, if clients are honest but slow."),
    RefusalGuide(
      "body_too_large", "413", "The body is over the route's `maxBody`.", example: "11 MiB to a route with the default",
      mend: "Raise `maxBody` of the route."),
    RefusalGuide(
      "target_too_long", "414", "The request target is over 8 KiB.", example: "`GET /?q=…` with 9,000 letters",
      mend: "Send it as a body."),
    RefusalGuide(
      "header_too_large", "431", "The head is over `limits.maxHeader`, or has over 128 fields.",
      example: "40 KiB of cookies", mend: "Raise `limits.maxHeader`, up to what the reference says."),
    RefusalGuide(
      "unsupported_coding", "501", "A transfer coding other than `chunked`.", example: "`Transfer-Encoding: gzip`",
      mend: "Mend the client."),
    RefusalGuide(
      "internal", "500", "The gateway failed; its log has the request id.", example: "none is known",
      mend: "Report it with the lines of the log."),
    RefusalGuide(
      "overloaded", "503", "The machine has no room for the work right now.",
      example: "a flood of tokens that were never seen before", mend: "Wait, or give it more cores; see the metrics."),
    RefusalGuide(
      "forbidden", "403",
      "This caller may not do this: a page of a foreign origin opens a WebSocket, or a form is not from our page.",
      example: "a WebSocket handshake with an `Origin` that is no domain of the app",
      mend: "List the origin in `cors.origins`; load the page of the form again."),
  ]

  private static let routes = [
    RefusalGuide(
      "unknown_host", "421", "No app that is loaded has the host.", example: "`GET https://typo.example.com/`",
      mend: "Add the host to `domains`. `check` tells whether its file is refused; `explain` tells where a host goes."),
    RefusalGuide(
      "no_route", "404", "The app has no route for the path.", example: "`GET /v2/` where routes are `/v1/` alone",
      mend: "Add a route, or one for `/`."),
    RefusalGuide(
      "method_not_allowed", "405", "The route does not list the method.",
      example: "`DELETE /v1/notes` where `methods: [GET, POST]`", mend: "Add it to `methods` of the route."),
    RefusalGuide(
      "rate_limited", "429", "The caller has had its share of the route's `rateLimit`, or of `limits.signIns`.",
      example: "the eleventh request within a second of `{ requests: 10, per: 1s }`",
      mend: "Raise the limit, or count by another subject (`by`)."),
  ]

  private static let tokens = [
    RefusalGuide(
      "missing_token", "401", "The route needs a bearer token and none came.",
      example: "`GET /v1/notes` without `Authorization`",
      mend: "Sign in; or `auth: none`, if everyone may."),
    RefusalGuide(
      "invalid_token", "401", "The token is malformed, expired, revoked, of another app or of another issuer.",
      example: "a token of app 1 at app 2", mend: "Sign in again. `speed-gateway token inspect` says what is wrong."),
    RefusalGuide(
      "invalid_request_from", "400", "`X-Speed-Request-From` is absent or not in `requestFrom`.",
      example: "`GET /v1/notes` with a token, but without the field", mend: "Send it, or extend `requestFrom`."),
  ]

  private static let signIns = [
    RefusalGuide(
      "Target not found", "404", "No app has the `appId` or domain that a sign-in names.",
      example: "a sign-in for `appId: 999`", mend: "Mend the client, or the tenant's file if `check` refuses it."),
    RefusalGuide(
      "provider_not_enabled", "400", "The app does not list the provider.", example: "`providers: []`",
      mend: "Add it to `providers`."),
    RefusalGuide(
      "provider_unavailable", "503", "The provider's plugin is not loaded, or what it asks can't be reached.",
      example: "`providers: [apple-native]` without the plugin", mend: "`speed-gateway plugin list` says why."),
    RefusalGuide(
      "ios_not_configured", "400", "The app has no bundle IDs.", example: "sign-in by Apple without `ios.bundleIds`",
      mend: "Add `ios.bundleIds`."),
    RefusalGuide(
      "bundle_id_conflict", "403", "Two apps list the bundle ID; see the problem of that name.",
      example: "sign-in at either of them", mend: "Remove it from one of the two."),
    RefusalGuide(
      "invalid_identity_token", "401", "The provider's token was not believed; the log says which check failed.",
      example: "an expired token", mend: "Sign in anew; look at the log where it happens to many."),
    RefusalGuide(
      "relay_not_configured", "400", "The app takes no sign-ins that were made elsewhere.",
      example: "`POST /api/platform/auth/relay` for an app without `relay`",
      mend: "List an issuer under `relay.issuers`, or name a `relay.verifier`."),
    RefusalGuide(
      "invalid_subject_token", "401",
      "A token of a sign-in that was made elsewhere was not believed; the log says which check failed.",
      example: "a token of an issuer that the app does not list",
      mend: "List issuer and audience to the byte as its tokens have them; sign in anew where one was used before."),
    RefusalGuide(
      "apple_account_mismatch", "409",
      "The authorization code of a deletion is of another Apple account; nothing was deleted.",
      example: "`DELETE /api/platform/auth/me` with the code of someone else's device",
      mend: "Ask with the Apple account that signed in; or delete without a code."),
    RefusalGuide(
      "invalid_refresh_token", "401",
      "The refresh token is unknown, over, or was used before: then its family has ended.",
      example: "the same `refreshToken` twice",
      mend: "Sign in again; a client must keep the newest one and use each once."),
    RefusalGuide(
      "invalid_notification", "401", "A notification is not one of the provider's for this app; the log says why.",
      example: "one for another app's bundle ID", mend: "Give Apple the URL with this app's number."),
    RefusalGuide(
      "web_not_configured", "400", "The app has no Services ID.",
      example: "`GET /platform/auth/apple` without `ios.servicesId`",
      mend: "Add `ios.servicesId`."),
    RefusalGuide(
      "invalid_redirect", "400", "The target of a sign-in in a browser is none of the app's.",
      example: "`redirect=https://evil.example/`",
      mend: "Add the scheme to `ios.urlSchemes`, or the URL to `redirects`."),
    RefusalGuide(
      "invalid_code", "400",
      "A code that stands for a sign-in's answer is unknown, over a minute old or used, or the verifier is not its own.",
      example: "the same `code` twice at `POST /api/platform/auth/exchange`",
      mend: "Sign in again; a client must keep the verifier of its challenge and exchange each code once, at once."),
    RefusalGuide(
      "invalid_state", "400", "A sign-in in a browser is over (ten minutes), ended before, or began elsewhere.",
      example: "the provider's answer posted twice", mend: "Begin again in the app."),
    RefusalGuide(
      "secret_missing", "503", "A secret that the app's file names is not there.",
      example: "`signInKey: { id: KEY1234567, env: NOTES_P8 }` without that variable",
      mend: "Set the variable, or put the file in its place."),
    RefusalGuide(
      "store_unavailable", "503", "The database can't be reached. Good tokens still pass.",
      example: "sign-in while MariaDB is down", mend: "`speed-gateway store check` says why."),
  ]

  private static let backends = [
    RefusalGuide(
      "backend_unavailable", "502, 503",
      "No server of the backend can be reached (502); all are down, or it has `maxConcurrent` requests (503).",
      example: "`servers: [http://127.0.0.1:9001]` where nothing listens",
      mend: "Start the server; see `speed_backend_…` in the metrics, and the log."),
    RefusalGuide(
      "backend_timeout", "504", "The backend's answer did not begin within `timeouts.response`.",
      example: "a backend that works for a minute", mend: "Raise `timeouts.response` of the backend."),
  ]
}
