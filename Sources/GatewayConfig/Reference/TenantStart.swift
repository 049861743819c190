import GatewayBase

/// The file that a new tenant begins with: good as it is, with what is likely to be wanted in comments.
package struct TenantStart: Sendable {
  /// The schema's file in the folder of tenants; its name begins with a dot, so it is not taken for a tenant.
  package static let schemaName = ".tenant.schema.json"

  /// The name of the file without its ending, of the app and of its first domain.
  package let name: String
  package let appID: Int64
  /// From the file's folder to the schema.
  package let schemaPath: String

  /// - Parameter schemaPath: relative to the file.
  package init(name: String, appID: Int64, schemaPath: String = schemaName) {
    self.name = name
    self.appID = appID
    self.schemaPath = schemaPath
  }

  /// Whether a name can be that of a file and a label of a domain: lower case, digits and `-` inside.
  package static func isName(_ text: String) -> Bool {
    let isInner: (UInt8) -> Bool = { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    guard let first = text.utf8.first, let last = text.utf8.last, text.utf8.count <= 63 else { return false }
    return text.utf8.allSatisfy(isInner) && first != 0x2D && last != 0x2D
  }

  /// The lowest number that no file of the folder claims, whether it is loaded or refused.
  package static func freeAppID(besides files: [TenantFile]) -> Int64 {
    let taken = Set(files.flatMap(\.claims).compactMap { $0.claim.kind == .app ? Int64($0.claim.value) : nil })
    var id: Int64 = 1
    while taken.contains(id) { id += 1 }
    return id
  }

  package var text: String {
    """
    # yaml-language-server: $schema=\(schemaPath)
    # The app \(name). Check it with: speed-gateway check. Every key is told by: speed-gateway schema reference
    appId: \(appID)
    name: \(name.prefix(1).uppercased() + name.dropFirst())

    # The hosts on which the app answers. No other app may have them.
    domains: [\(name).localhost]

    # Who may sign in: the plugins, what Apple's tokens must be made for, and who vouches for those who sign in elsewhere.
    # providers: [apple-native, relay]
    # ios:
    #   bundleIds: [com.example.\(name)]
    #   teamId: ABCDE12345
    # relay: { issuers: [{ issuer: https://securetoken.google.com/\(name), audience: \(name) }] }

    # How long a sign-in lasts.
    # sessions: { lifetime: 7d }

    # Pages of other origins that may call the app.
    # cors: { origins: [https://\(name).example.com] }

    # Groups of servers that answer alike, each under a name that routes use.
    backends:
      api:
        servers: [http://127.0.0.1:9001]
        # policy: leastRequests
        # health: { path: /healthz, interval: 5s }
        # timeouts: { connect: 2s, response: 30s, idle: 60s }

    # The longest path that matches decides; one that ends in / takes all below it.
    routes:
      # For everyone: the backend gets no identity.
      - { path: /public/, backend: api, auth: none }
      # For users who are signed in: auth is required where a route does not say.
      # - { path: /v1/, backend: api, methods: [GET, POST], maxBody: 64KiB, rateLimit: { requests: 10, per: 1s } }
      - { path: /, backend: api }

    """
  }
}
