import GatewayBase

/// The keys of `apple`.
enum AppleKeys {
  static let issuer = Key.optional(
    "issuer", .outboundURL, "The issuer of Apple's tokens.", otherwise: "https://appleid.apple.com",
    example: "https://appleid.apple.com")
  static let keysURL = Key.optional(
    "keysUrl", .outboundURL, "Its key set.", otherwise: "the issuer and /auth/keys",
    example: "http://127.0.0.1:9400/auth/keys")
  static let tokenURL = Key.optional(
    "tokenUrl", .outboundURL, "Where codes are exchanged.", otherwise: "the issuer and /auth/token",
    example: "http://127.0.0.1:9400/auth/token")
  static let revokeURL = Key.optional(
    "revokeUrl", .outboundURL, "Where tokens are revoked.", otherwise: "the issuer and /auth/revoke",
    example: "http://127.0.0.1:9400/auth/revoke")
  static let migrationURL = Key.optional(
    "migrationUrl", .outboundURL, "Where users move between teams.",
    otherwise: "the issuer and /auth/usermigrationinfo",
    example: "http://127.0.0.1:9400/auth/usermigrationinfo")

  static let schema = MappingSchema(
    "Apple's services", [issuer.row, keysURL.row, tokenURL.row, revokeURL.row, migrationURL.row])
}

/// The keys of `mail`.
enum MailKeys {
  static let smtp = Key.required("smtp", .mailURL, "The relay that takes mail.", example: "smtps://mail.example.com")
  static let from = Key.required("from", .emailAddress, "The sender.", example: "no-reply@example.com")
  static let username = Key.optional(
    "username", .text("a user's name"), "Who the gateway is at the relay.", otherwise: "it says no name",
    example: "speed-gateway")
  static let passwordEnv = Key.optional(
    "passwordEnv", .secretVariable, "The environment variable with that user's password.",
    example: "SPEED_MAIL_PASSWORD")
  static let passwordFile = Key.optional(
    "passwordFile", .secretFile, "The file with that password.", example: "secrets/mail")
  static let authorities = Key<String>.optional(
    "ca", .path, "A PEM file with the authorities that sign the relay's certificate.",
    otherwise: "the system's authorities", example: "certs/mail-ca.pem")

  private static let anyPassword = JSONTree.list(
    [passwordEnv, passwordFile].map { .members(["required": .texts([$0.row.name])]) })
  private static let noUsername = JSONTree.members(["required": .texts([username.row.name])])

  static let schema = MappingSchema(
    "mail rules", [smtp.row, from.row, username.row, passwordEnv.row, passwordFile.row, authorities.row],
    rules: [
      .one(of: [passwordEnv.row.name, passwordFile.row.name], isRequired: false),
      .never(.members(["required": .texts([username.row.name]), "not": .members(["anyOf": anyPassword])])),
      .never(.members(["anyOf": anyPassword, "not": noUsername])),
    ])
}

/// The keys of `log`.
enum LogKeys {
  enum Format: String, Sendable, CaseIterable, CustomStringConvertible {
    case json, text

    var description: String { rawValue }
    var value: LogRecord.Format { self == .json ? .json : .text }
  }

  enum Level: String, Sendable, CaseIterable, CustomStringConvertible {
    case debug, info, warning, error

    var description: String { rawValue }
    var value: LogLevel {
      switch self {
      case .debug: .debug
      case .info: .info
      case .warning: .warning
      case .error: .error
      }
    }
  }

  static let format = DefaultedKey("format", .choice(), Format.json, "One JSON object a line, or text.")
  static let level = DefaultedKey("level", .choice(), Level.info, "The least that is logged.")
  static let access = DefaultedKey(
    "access", .accessLog, AccessLogConfiguration(), "Which requests get a line, and where.",
    shownAs: "{ mode: off }")

  static let schema = MappingSchema("log rules", [format.row, level.row, access.row])
}

/// The keys of `log.access`.
enum AccessLogKeys {
  static let mode = DefaultedKey(
    "mode", .choice(), AccessLogConfiguration.Mode.off,
    "off; sampled: one request in so many, and each that failed; on: every request.")
  static let oneIn = DefaultedKey(
    "oneIn", .integer(1...1_000_000), 100, "With sampled: one request of so many gets a line.")
  static let file = Key.optional(
    "file", .path, "Where the lines go; opened anew at SIGHUP.", otherwise: "standard output",
    example: "var/access.log")

  static let schema = MappingSchema("access log rules", [mode.row, oneIn.row, file.row])
}

/// The keys of `audit`.
enum AuditKeys {
  static let keep = DefaultedKey(
    "keep", .duration(Milliseconds(0)...(.days(36_500))), Milliseconds.days(365),
    "How long it is kept who did what to an account; 0d: for ever. With an account its network addresses go at once.")

  static let schema = MappingSchema("audit rules", [keep.row])
}

/// The keys of `limits`.
enum LimitKeys {
  static let maxConnections = DefaultedKey(
    "maxConnections", .integer(1...10_000_000), 100_000, "Client connections at once; more are closed at once.")
  static let maxConnectionsPerAddress = Key.optional(
    "maxConnectionsPerAddress", .integer(1...10_000_000),
    "Of those, from one address (IPv6: one /64); more are closed at once. Trusted proxies are exempt.",
    otherwise: "a tenth of maxConnections, 1000 at least", example: "1000")
  static let maxHeader = DefaultedKey(
    "maxHeader", .size(ByteSize.kibibytes(1)...ByteSize(bytes: Limits.requestHeadCeiling)),
    ByteSize(bytes: Limits.requestHead), "The largest head of a request; a larger one gets 431.")
  static let signIns = DefaultedKey(
    "signIns", .signInLimit, RateLimit(requests: 300, per: .minutes(1), by: .address),
    "How many sign-ins of an address pass in how long a time.", shownAs: "{ requests: 300, per: 1m }")
  static let providerCalls = DefaultedKey(
    "providerCalls", .callLimit, RateLimit(requests: 20, per: .seconds(1), by: .app),
    "How many queued calls to providers (code exchange, revocation, daily checks) this node begins in how long a time.",
    shownAs: "{ requests: 20, per: 1s }")
  private static let wait = Milliseconds(100)...Milliseconds.minutes(60)
  static let headTimeout = DefaultedKey(
    "headTimeout", .duration(wait), Milliseconds.seconds(10), "From the first byte of a request's head to its last.")
  static let bodyTimeout = DefaultedKey(
    "bodyTimeout", .duration(wait), Milliseconds.seconds(60),
    "The longest silence of a client whose body is awaited, or that does not take the answer.")
  static let idleTimeout = DefaultedKey(
    "idleTimeout", .duration(wait), Milliseconds.seconds(75), "How long a connection may idle between requests.")

  static let schema = MappingSchema(
    "limits",
    [
      maxConnections.row, maxConnectionsPerAddress.row, maxHeader.row, signIns.row, providerCalls.row, headTimeout.row,
      bodyTimeout.row,
      idleTimeout.row,
    ])
}

/// The keys of `drain`.
enum DrainKeys {
  static let delay = DefaultedKey(
    "delay", .duration(Milliseconds(0)...(.minutes(10))), Milliseconds.seconds(1),
    "How long new connections are still taken after SIGTERM.")
  static let timeout = DefaultedKey(
    "timeout", .duration(Milliseconds(0)...(.minutes(60))), Milliseconds.seconds(30),
    "How long running requests may take to finish.")

  static let schema = MappingSchema("drain rules", [delay.row, timeout.row])
}
