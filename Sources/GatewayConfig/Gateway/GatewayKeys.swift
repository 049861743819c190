import GatewayBase

/// The keys of `gateway.yaml`.
enum GatewayKeys {
  static let listen = Key.optional(
    "listen", ValueType<ListenerConfiguration>.listener.placed.list(minimum: 1), "Sockets that clients connect to.",
    otherwise: "[{ address: 127.0.0.1:8080 }]", example: "[{ address: 0.0.0.0:8080 }]")
  static let admin = DefaultedKey(
    "admin", .admin, AdminConfiguration(address: .loopback(port: 9901), token: nil),
    "The socket for health, metrics and the dashboard.", shownAs: "{ address: 127.0.0.1:9901 }")
  static let platform = Key.optional(
    "platform", .platform, "The names by which clients know the gateway.",
    otherwise: "{ apiHosts: [localhost, 127.0.0.1], dashHosts: [localhost, 127.0.0.1] }",
    example: "{ apiHosts: [api.example.com], dashHosts: [dash.example.com], publicUrl: https://api.example.com }")
  static let store = Key.optional(
    "store", .store, "Where accounts and balances are kept.", otherwise: "{ url: sqlite:var/gateway.db }")
  static let tenants = Key.optional(
    "tenants", .path, "The folder of tenant files.", otherwise: "tenants", example: "tenants")
  static let plugins = Key.optional(
    "plugins", .path, "The folder of plugin folders.", otherwise: "plugins", example: "plugins")
  static let tokens = Key.optional("tokens", .tokens, "How tokens are signed.", otherwise: "{ keys: var/keys }")
  static let apple = Key.optional(
    "apple", .apple, "Where Apple's services are.", otherwise: "{ issuer: https://appleid.apple.com }")
  static let mail = Key.optional(
    "mail", .mail, "How the gateway sends mail.", otherwise: "it sends none",
    example: "{ smtp: smtps://mail.example.com, from: no-reply@example.com }")
  static let audit = DefaultedKey(
    "audit", .audit, AuditConfiguration(), "What is kept of who did what to an account.", shownAs: "{ keep: 365d }")
  static let trustedProxies = DefaultedKey(
    "trustedProxies", ValueType<AddressRange>.addressRange.list(), [],
    "Peers whose X-Forwarded-For and X-Forwarded-Proto count.", example: "[10.0.0.0/8]")
  static let log = DefaultedKey(
    "log", .log, LogConfiguration(), "What is logged, and how.",
    shownAs: "{ format: json, level: info, access: { mode: off } }")
  static let limits = DefaultedKey(
    "limits", .limits, LimitConfiguration(), "Bounds of the process.",
    shownAs: "{ maxConnections: 100000, maxHeader: 32KiB, signIns: { requests: 300, per: 1m } }")
  static let drain = DefaultedKey(
    "drain", .drain, DrainConfiguration(), "How the process ends.", shownAs: "{ delay: 1s, timeout: 30s }")
  static let handover = Key.optional(
    "handover", .handover,
    "The Unix socket over which a process that is started with this file takes over the listeners; none: it can't.",
    otherwise: "var/handover.sock", example: "var/handover.sock")
  static let loops = Key.optional(
    "loops", .integer(1...256), "Event loops that serve clients.", otherwise: "one for each core", example: "4")

  static let schema = MappingSchema(
    "gateway.yaml",
    [
      listen.row, admin.row, platform.row, store.row, tenants.row, plugins.row, tokens.row, apple.row, mail.row,
      trustedProxies.row, log.row, audit.row, limits.row, drain.row, handover.row, loops.row,
    ])
}

/// The keys of a listener.
enum ListenerKeys {
  static let address = Key.required(
    "address", .listenAddress, "Address and port; port 0 lets the system pick one.", example: "0.0.0.0:8080")
  static let tls = DefaultedKey(
    "tls", ValueType<ListenerConfiguration.Certificate>.certificate.list(minimum: 1), [],
    "Certificates, chosen by SNI.", shownAs: "none: plain HTTP",
    example: "[{ certificate: certs/speed.pem, key: certs/speed.key }]")

  static let proxyProtocol = DefaultedKey(
    "proxyProtocol", .boolean, false,
    "Whether a proxy in front announces each connection (PROXY protocol, version 1 or 2); those without are closed.")

  static let schema = MappingSchema("a listener", [address.row, tls.row, proxyProtocol.row])
}

/// The keys of a listener's certificate.
enum CertificateKeys {
  static let certificate = Key.required(
    "certificate", .path, "The file of the chain in PEM.", example: "certs/speed.pem")
  static let key = Key.required("key", .path, "The file of the private key in PEM.", example: "certs/speed.key")

  static let schema = MappingSchema("a certificate", [certificate.row, key.row])
}

/// The keys of `admin`.
enum AdminKeys {
  static let address = Key.optional(
    "address", ValueType<SocketAddress>.listenAddress.placed, "Address and port.", otherwise: "127.0.0.1:9901",
    example: "127.0.0.1:9901")
  static let tokenEnv = Key.optional(
    "tokenEnv", .secretVariable,
    "The environment variable with the token that requests need; must be there unless the address is loopback.",
    example: "SPEED_ADMIN_TOKEN")

  static let schema = MappingSchema(
    "the admin listener", [address.row, tokenEnv.row],
    rules: [
      // Open to others than this machine, and without a token.
      .never(
        .members([
          "properties": .members([
            "address": .members([
              "type": .text("string"), "not": .members(["pattern": .text(TextPattern.loopbackAddress)]),
            ])
          ]), "required": .texts(["address"]), "not": .members(["required": .texts(["tokenEnv"])]),
        ]))
    ])
}

/// The keys of `platform`.
enum PlatformKeys {
  static let apiHosts = Key.optional(
    "apiHosts", ValueType<HostName>.gatewayHost.placed.list(minimum: 1, isUnique: true), "Hosts of the platform API.",
    otherwise: "[localhost, 127.0.0.1]", example: "[api.example.com]")
  static let dashHosts = Key.optional(
    "dashHosts", ValueType<HostName>.gatewayHost.placed.list(minimum: 1, isUnique: true), "Hosts of the pages.",
    otherwise: "[localhost, 127.0.0.1]", example: "[dash.example.com]")
  static let publicURL = Key.optional(
    "publicUrl", .publicURL, "The URL of the API: the issuer of its tokens.",
    otherwise: "https:// and the first API host; http://localhost and the first port where there is none",
    example: "https://api.example.com")

  static let schema = MappingSchema("the platform", [apiHosts.row, dashHosts.row, publicURL.row])
}

/// The keys of `store`.
enum StoreKeys {
  static let url = Key.optional(
    "url", .storeURL, "sqlite:path, or mariadb://user@host:3306/database.", otherwise: "sqlite:var/gateway.db",
    example: "sqlite:var/gateway.db")
  static let passwordEnv = Key.optional(
    "passwordEnv", .secretVariable, "The environment variable with the database's password.",
    example: "SPEED_DB_PASSWORD")
  static let passwordFile = Key.optional(
    "passwordFile", .secretFile, "The file with that password.", example: "secrets/database")

  static let schema = MappingSchema(
    "the store", [url.row, passwordEnv.row, passwordFile.row],
    rules: [.one(of: [passwordEnv.row.name, passwordFile.row.name], isRequired: false)])
}

/// The keys of `tokens`.
enum TokenKeys {
  static let keys = Key.optional(
    "keys", .path, "The folder of the signing keys.", otherwise: "var/keys", example: "var/keys")

  static let sealingKeys = Key.optional(
    "sealingKeys", .path,
    "The folder of the keys that seal what providers leave with accounts; nodes with one store share it.",
    otherwise: "var/sealing", example: "var/sealing")

  static let schema = MappingSchema("token rules", [keys.row, sealingKeys.row])
}
