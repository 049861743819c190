import GatewayBase

/// The process, as `gateway.yaml` and the environment say: read, checked, and with every default filled in.
/// Paths are as the process can open them.
package struct GatewayConfiguration: Sendable, Equatable {
  /// Never empty.
  package let listen: [ListenerConfiguration]
  package let admin: AdminConfiguration
  package let platform: PlatformConfiguration
  package let store: StoreConfiguration
  /// The folder of tenant files.
  package let tenants: String
  /// The folder of plugin folders.
  package let plugins: String
  /// The folder of the signing keys.
  package let tokenKeys: String
  /// The folder of the keys that seal what providers leave with accounts.
  package let sealingKeys: String
  package let apple: AppleConfiguration
  package let mail: MailConfiguration?
  /// Peers whose `X-Forwarded-For` and `X-Forwarded-Proto` count.
  package let trustedProxies: [AddressRange]
  package let log: LogConfiguration
  package let audit: AuditConfiguration
  package let limits: LimitConfiguration
  package let drain: DrainConfiguration
  /// The socket where a successor asks for the listeners; nil where none is to.
  package let handover: String?
  /// Event loops; nil: one for each core.
  package let loops: Int?

  /// The hosts that no app may have.
  package var reservedHosts: Set<HostName> {
    var hosts = Set(platform.apiHosts + platform.dashHosts)
    if let host = HostName(platform.publicURL.host.bracketed) { hosts.insert(host) }
    // The admin listener answers to this name where it is bound to loopback.
    if admin.address.isLoopback { hosts.insert(HostName(literal: "localhost")) }
    return hosts
  }

  /// The values of a section that a plugin may have, by their keys; none where the section is unknown.
  ///
  /// - Parameter section: the section that the plugin's manifest names.
  package func pluginSettings(_ section: String) -> [String: String] { section == "apple" ? apple.settings : [:] }
}

/// A socket that clients connect to.
package struct ListenerConfiguration: Sendable, Equatable {
  package struct Certificate: Sendable, Equatable {
    /// Of the chain in PEM.
    package let certificate: String
    /// Of the private key in PEM.
    package let key: String
  }

  package let address: SocketAddress
  /// Chosen by SNI; empty for plain HTTP.
  package let tls: [Certificate]
  /// Whether each connection begins with an announcement of where it comes from.
  package var isAnnounced = false
}

/// The socket for health, metrics and the dashboard.
package struct AdminConfiguration: Sendable, Equatable {
  package let address: SocketAddress
  /// Nil on loopback only.
  package let token: SecretSource?
}

/// The names by which clients know the gateway.
package struct PlatformConfiguration: Sendable, Equatable {
  package let apiHosts: [HostName]
  package let dashHosts: [HostName]
  /// The issuer of our tokens.
  package let publicURL: ServiceURL
}

/// Where accounts and balances are kept, and the database's password where it has one.
package struct StoreConfiguration: Sendable, Equatable {
  package let location: StoreAddress
  package let password: SecretSource?
}

/// Where Apple's services are.
package struct AppleConfiguration: Sendable, Equatable {
  package let issuer: ServiceURL
  package let keysURL: ServiceURL
  package let tokenURL: ServiceURL
  package let revokeURL: ServiceURL
  package let migrationURL: ServiceURL

  var settings: [String: String] {
    [
      "issuer": issuer.description, "keysUrl": keysURL.description, "tokenUrl": tokenURL.description,
      "revokeUrl": revokeURL.description, "migrationUrl": migrationURL.description,
    ]
  }
}

/// The relay that takes mail, and the sender.
package struct MailConfiguration: Sendable, Equatable {
  package let smtp: ServiceURL
  package let from: MailAddress
  /// Nil where the relay asks nobody who he is; then there is no password either.
  package let username: String?
  package let password: SecretSource?
  /// A file of certificates (PEM) that sign the relay's; nil: the system's authorities.
  package let authorities: String?
}

/// The form of log lines, and the least level that is written.
package struct LogConfiguration: Sendable, Equatable {
  package var format = LogRecord.Format.json
  package var level = LogLevel.info
  package var access = AccessLogConfiguration()
}

/// Which requests get a line in the access log, and where it goes.
package struct AccessLogConfiguration: Sendable, Equatable {
  package enum Mode: String, Sendable, CaseIterable, CustomStringConvertible {
    case off, sampled, on

    package var description: String { rawValue }
  }

  package var mode = Mode.off
  /// One request of so many, where they are sampled.
  package var oneIn = 100
  /// Nil for standard output.
  package var file: String?
}

/// What is kept of who did what to an account.
package struct AuditConfiguration: Sendable, Equatable {
  /// Zero for ever.
  package var keep = Milliseconds.days(365)
}

/// Bounds of the process.
package struct LimitConfiguration: Sendable, Equatable {
  /// Client connections at once; more are closed at once.
  package var maxConnections = 100_000
  /// Of those, from one address; nil: a tenth of them, 1,000 at least.
  package var maxConnectionsPerAddress: Int?
  /// Of a request's head; 431 beyond.
  package var maxHeader = ByteSize(bytes: Limits.requestHead)
  package var signIns = RateLimit(requests: 300, per: .minutes(1), by: .address)
  /// Queued calls to providers that one node begins; the rest waits.
  package var providerCalls = RateLimit(requests: 20, per: .seconds(1), by: .app)
  /// From the first byte of a head to its last; 408 beyond.
  package var headTimeout = Milliseconds.seconds(10)
  /// Of a client that neither sends the body that is awaited nor takes the answer.
  package var bodyTimeout = Milliseconds.seconds(60)
  /// Of a connection between requests.
  package var idleTimeout = Milliseconds.seconds(75)
}

/// How the process ends.
package struct DrainConfiguration: Sendable, Equatable {
  /// How long new connections are still taken.
  package var delay = Milliseconds.seconds(1)
  /// How long running requests may take to finish.
  package var timeout = Milliseconds.seconds(30)
}
