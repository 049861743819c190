/// What a gateway of a test is started with.
package struct GatewaySetup: Sendable {
  /// Top-level keys of gateway.yaml, each with its value in YAML's flow form.
  package var sections: [String: String]
  /// Tenant files by name.
  package var tenants: [String: String]
  /// Other files by their path in the gateway's folder.
  package var files: [String: [UInt8]] = [:]
  /// Variables besides the inherited ones.
  package var environment: [String: String] = [:]

  /// - Parameters:
  ///   - keysURL: where Apple's key set is fetched.
  ///   - sections: keys that replace or complete the usual ones.
  package init(keysURL: String, tenants: [String: String], sections: [String: String] = [:]) {
    self.tenants = tenants
    let services = [("tokenUrl", "token"), ("revokeUrl", "revoke"), ("migrationUrl", "usermigrationinfo")].map {
      ", \($0): \(keysURL.replacing("/auth/keys", with: "/auth/\($1)"))"
    }
    let usual = [
      "listen": "[{ address: 127.0.0.1:0 }, \(Self.tlsListener)]",
      "admin": "{ address: 127.0.0.1:0 }",
      "platform": "{ apiHosts: [api.localhost], dashHosts: [dash.localhost], publicUrl: http://api.localhost }",
      "store": "{ url: sqlite:var/gateway.db }",
      "tenants": "tenants",
      "plugins": Isolation.plugins,
      "tokens": "{ keys: var/keys }",
      "apple": "{ issuer: https://appleid.apple.com, keysUrl: \(keysURL)\(services.joined()) }",
      "log": "{ format: json, level: debug }",
      "drain": "{ delay: 100ms, timeout: 10s }",
      // All tests sign in from one address.
      "limits": "{ signIns: { requests: 1000000, per: 1s } }",
    ]
    self.sections = usual.merging(sections) { $1 }
  }

  /// A listener with the certificate of tests, in YAML's flow form.
  package static let tlsListener =
    "{ address: 127.0.0.1:0, tls: [{ certificate: certs/test.pem, key: certs/test.key }] }"

  var yaml: String { sections.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }.joined() }
}

/// A tenant file of the usual shape.
package struct TenantFile: Sendable {
  package var appID: Int
  package var domain: String
  package var bundleIDs: [String]
  package var teamID: String?
  /// The port on loopback of each of its backend's servers.
  package var ports: [UInt16]
  /// Further servers, as the file has them.
  package var servers: [String] = []
  /// Lines below the backend, indented by four.
  package var backendLines: [String] = []
  /// Routes in YAML's flow form.
  package var routes: [String] = ["{ path: /, backend: main }"]
  /// Lines below `ios`, indented by two.
  package var iosLines: [String] = []
  /// Lines at the top level.
  package var lines: [String] = []

  package init(_ appID: Int, _ domain: String, bundleIDs: [String], ports: [UInt16]) {
    self.appID = appID
    self.domain = domain
    self.bundleIDs = bundleIDs
    self.ports = ports
  }

  package var yaml: String {
    var text = "appId: \(appID)\nname: App \(appID)\ndomains: [\(domain)]\nproviders: [apple-native]\n"
    text += "ios:\n  bundleIds: [\(bundleIDs.joined(separator: ", "))]\n"
    if let teamID { text += "  teamId: \(teamID)\n" }
    for line in iosLines { text += "  \(line)\n" }
    for line in lines { text += "\(line)\n" }
    let all = ports.map { "http://127.0.0.1:\($0)" } + servers
    text += "backends:\n  main:\n    servers: [\(all.map { "\"\($0)\"" }.joined(separator: ", "))]\n"
    for line in backendLines { text += "    \(line)\n" }
    text += "routes:\n"
    for route in routes { text += "  - \(route)\n" }
    return text
  }
}
