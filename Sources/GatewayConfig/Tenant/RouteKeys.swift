/// The keys of a route, and how they are read.
enum RouteKeys {
  static let path = Key.required(
    "path", ValueType<String>.routePath.placed,
    "What requests it takes: a path that ends in / takes all below it; another takes itself and all below it.",
    example: "/v1/")
  static let backend = Key.required(
    "backend", ValueType<String>.identifier("the name of a backend").placed, "The backend that answers.", example: "api"
  )
  static let auth = DefaultedKey(
    "auth", .choice(), RouteConfiguration.Auth.required, "Whether a request needs a bearer token.")
  static let methods = Key.optional(
    "methods", ValueType<String>.method.list(minimum: 1), "The methods that pass; others get 405.",
    otherwise: "any method", example: "[GET, POST]")
  static let maxBody = DefaultedKey(
    "maxBody", .size(ByteSize(bytes: 0)...ByteSize.gibibytes(1024)), .mebibytes(10),
    "The largest body of a request; a larger one gets 413.")
  static let forwardToken = DefaultedKey(
    "forwardToken", .boolean, true, "Whether the backend gets the bearer token along with the identity headers.")
  static let units = DefaultedKey(
    "units", .integer(0...1_000_000_000), 0, "The price of a request in whole units.", .later)
  static let rateLimit = Key.optional(
    "rateLimit", .rateLimit, "How many requests pass in how long a time.", otherwise: "no limit",
    example: "{ requests: 10, per: 1s, by: user }")

  static let schema = MappingSchema(
    "a route",
    [path.row, backend.row, auth.row, methods.row, maxBody.row, forwardToken.row, units.row, rateLimit.row])
}

/// The keys of a rate limit, and how they are read.
enum RateLimitKeys {
  static let requests = Key.required(
    "requests", .integer(1...1_000_000_000), "How many requests pass.", example: "10")
  static let per = Key.required(
    "per", .duration(.seconds(1)...(.days(1))), "In how long a time.", example: "1s")
  static let by = Key<RateLimit.Subject>.optional(
    "by", .choice(), "Whose requests count together; user means the address on routes without a token.",
    otherwise: "user")

  static let schema = MappingSchema("a rate limit", [requests.row, per.row, by.row])
  static let signInSchema = MappingSchema("a limit of sign-ins", [requests.row, per.row])
  static let callSchema = MappingSchema("a limit of calls", [requests.row, per.row])
}

/// A route before its backend is looked up; what is wrong with it was reported and is nil.
struct RouteDraft: Sendable {
  let path: Placed<String>?
  let backend: Placed<String>?
  var route: RouteConfiguration
}

extension ValueType where Value == RateLimit {
  static var rateLimit: ValueType {
    .mapping(RateLimitKeys.schema) { reader in limit(reader, by: reader[RateLimitKeys.by] ?? .user) }
  }

  /// Sign-ins have no user yet, and one app's users must not lock out another's: addresses alone are counted.
  static var signInLimit: ValueType {
    .mapping(RateLimitKeys.signInSchema) { reader in limit(reader, by: .address) }
  }

  /// Calls of the gateway itself are counted together.
  static var callLimit: ValueType {
    .mapping(RateLimitKeys.callSchema) { reader in limit(reader, by: .app) }
  }

  private static func limit(_ reader: MappingReader, by subject: RateLimit.Subject) -> RateLimit? {
    let per = reader[RateLimitKeys.per]
    guard let requests = reader[RateLimitKeys.requests], let per else { return nil }
    return RateLimit(requests: requests, per: per, by: subject)
  }
}

extension ValueType where Value == RouteDraft {
  static var route: ValueType {
    .mapping(RouteKeys.schema) { reader in
      let (path, backend) = (reader[RouteKeys.path], reader[RouteKeys.backend])
      let route = RouteConfiguration(
        path: path?.value ?? "/", backend: 0, auth: reader[RouteKeys.auth], methods: reader[RouteKeys.methods],
        maxBody: reader[RouteKeys.maxBody], forwardToken: reader[RouteKeys.forwardToken],
        units: reader[RouteKeys.units], rateLimit: reader[RouteKeys.rateLimit])
      return RouteDraft(path: path, backend: backend, route: route)
    }
  }
}
