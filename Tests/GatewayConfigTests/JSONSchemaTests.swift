import Foundation
import GatewayBase
import Testing

@testable import GatewayConfig

/// Every row of a table, whatever mapping it is in.
private func rows(_ schema: MappingSchema) -> [KeyRow] {
  func inner(_ shape: ValueShape) -> [KeyRow] {
    switch shape {
    case .mapping(let schema): rows(schema)
    case .list(let item, _, _): inner(item)
    case .named(let element, _): inner(element)
    case .text, .integer, .boolean, .choice: []
    }
  }
  return schema.rows.flatMap { [$0] + inner($0.shape) }
}

@Suite struct JSONSchemaTests {
  private static let tables = [TenantKeys.schema, GatewayKeys.schema, PluginKeys.schema]

  @Test("Every example of the tables is good for its key, and every default that is a value too")
  func examples() {
    for row in Self.tables.flatMap(rows) {
      if let example = row.example { #expect(row.value(of: example) != nil, "\(row.name): \(example)") }
      if let text = row.defaultText, case .text = row.shape, !text.contains(" ") {
        #expect(row.defaultValue != nil, "\(row.name): \(text)")
      }
      #expect(row.summary.hasSuffix("."), "\(row.name)")
    }
  }

  @Test(
    "A pattern of numbers fits those of its range and no others",
    arguments: [
      1...65_535, 0...32, 0...128, 7...7, 9...10, 99...1_001, 250...251, 1...1_000_000,
    ] as [ClosedRange<Int64>])
  func numbers(_ range: ClosedRange<Int64>) throws {
    let pattern = try Regex("(?:\(TextPattern.number(range)))")
    let edges = [range.lowerBound, range.upperBound].flatMap { ($0 - 12)...($0 + 12) }
    for number in edges
      + Array(stride(from: 0, to: range.upperBound + 2_000, by: Int64.Stride(max(1, range.count / 500))))
    where number >= 0 {
      #expect((try pattern.wholeMatch(in: String(number)) != nil) == range.contains(number), "\(number)")
    }
    #expect(try pattern.wholeMatch(in: "0\(range.upperBound)") == nil)
  }

  private static let goodTenants = [
    fullTenant, tenant(), tenant("x-note: { any: [thing] }"), tenant("name: 1.0"), tenant("name: yes"),
    tenant("domains: [bücher.example, a.example.com.]"), TenantStart(name: "shop", appID: 7).text,
    tenant("backends: { api: { servers: [\"https://[2001:db8::1]:8443\", unix:/run/app.sock, http://localhost:1] } }"),
    tenant("cors: { origins: [\"*\"] }"), tenant("cors: { origins: [] , credentials: true }"),
    tenant("paths: opaque"), tenant("sessions: { lifetime: 7d, refresh: true }"),
    tenant("routes: [{ path: /, backend: api, maxBody: 0B, rateLimit: { requests: 1, per: 1440m } }]"),
    tenant("routes: [{ path: \"/a%20b/~c\", backend: api, methods: [QUERY] }]"),
  ]

  /// One for each kind of wrong value that a schema can see.
  private static let badTenants = [
    tenant("nope: 1"), tenant("appId: a"), tenant("appId: \"1\""), tenant("appId: 0"),
    tenant("appId: 9007199254740992"),
    tenant("appId: 1.5"), tenant("appId: ~"), tenant("name: ~"), tenant("name: \"  \""), tenant("name: [a]"),
    tenant("domains: []"), tenant("domains: a.example"), tenant("domains: [a.example, a.example]"),
    tenant("domains: [\"*.example.com\"]"), tenant("domains: [https://a.example]"), tenant("domains: [a.example:80]"),
    tenant("domains: [192.0.2.1]"), tenant("domains: [a.0x1]"), tenant("owner: nobody"),
    tenant("methodOverride: yes"), tenant("methodOverride: \"true\""), tenant("methodOverride: 1"),
    tenant("paths: Canonical"), tenant("requestFrom: []"), tenant("requestFrom: [a b]"),
    tenant("ios: { bundleIds: [1596750535] }"), tenant("ios: { bundleIds: [com.example.*] }"),
    tenant("ios: { teamId: abcde12345 }"), tenant("ios: { signInKey: { id: KEY1234567 } }"),
    tenant("ios: { signInKey: { id: KEY1234567, env: A, file: b } }"), tenant("ios: { urlSchemes: [\"a://b\"] }"),
    tenant("redirects: [http://example.com/]"), tenant("redirects: [https://example.com:8443/]"),
    tenant("redirects: [//example.com]"), tenant("redirects: [https://a@example.com/]"),
    tenant("serverKeys: [{ id: main }]"), tenant("serverKeys: [{ id: main, env: 1A }]"),
    tenant("serverKeys: [{ id: main, file: https://a.example/x }]"),
    tenant("relay: { issuers: [{ issuer: http://a.example, audience: x }] }"),
    tenant("relay: { issuers: [{ issuer: https://a.example }] }"),
    tenant("relay: { verifier: { url: https://a.example } }"),
    tenant("sessions: { lifetime: 7 }"), tenant("sessions: { lifetime: 07d }"), tenant("sessions: { lifetime: 0s }"),
    tenant("sessions: { lifetime: 8d }"), tenant("sessions: { lifetime: 999ms }"), tenant("usage: { source: both }"),
    tenant("backends: {}"), tenant("backends: { api: { servers: [] } }"), tenant("backends: { api: {} }"),
    tenant("backends: { -a: { servers: [http://127.0.0.1:1] } }"),
    tenant("backends: { api: { servers: [ftp://127.0.0.1] } }"),
    tenant("backends: { api: { servers: [http://u:p@127.0.0.1] } }"),
    tenant("backends: { api: { servers: [http://127.0.0.1:0] } }"),
    tenant("backends: { api: { servers: [http://127.0.0.1:65536] } }"),
    tenant("backends: { api: { servers: [http://127.0.0.1/path] } }"),
    tenant("backends: { api: { servers: [http://2130706433] } }"),
    tenant("backends: { api: { servers: [http://169.254.169.254] } }"),
    tenant("backends: { api: { servers: [file:/etc/passwd] } }"),
    tenant("backends: { api: { servers: [\"unix:\"] } }"),
    tenant("backends: { api: { servers: [http://127.0.0.1:1, http://127.0.0.1:1] } }"),
    tenant("backends: { api: { servers: [http://127.0.0.1:1], retries: 2 } }"),
    tenant("backends: { api: { servers: [http://127.0.0.1:1], timeouts: { connect: 2d } } }"),
    tenant("backends: { api: { servers: [http://127.0.0.1:1], health: {} } }"),
    tenant("routes: []"), tenant("routes: [{ path: /, backend: api, auth: yes }]"), tenant("routes: [{ path: / }]"),
    tenant("routes: [{ path: v1, backend: api }]"), tenant("routes: [{ path: /a/../b, backend: api }]"),
    tenant("routes: [{ path: //a, backend: api }]"), tenant("routes: [{ path: /a*, backend: api }]"),
    tenant("routes: [{ path: \"/a?b\", backend: api }]"), tenant("routes: [{ path: /%2f, backend: api }]"),
    tenant("routes: [{ path: /%41, backend: api }]"), tenant("routes: [{ path: /.well-known/speed, backend: api }]"),
    tenant("routes: [{ path: /, backend: api, methods: [get] }]"),
    tenant("routes: [{ path: /, backend: api, methods: [TRACE] }]"),
    tenant("routes: [{ path: /, backend: api, maxBody: 10MB }]"),
    tenant("routes: [{ path: /, backend: api, maxBody: 1025GiB }]"),
    tenant("routes: [{ path: /, backend: api, units: -1 }]"),
    tenant("routes: [{ path: /, backend: api, rateLimit: { requests: 0, per: 1s } }]"),
    tenant("routes: [{ path: /, backend: api, rateLimit: { requests: 1, per: 25h } }]"),
    tenant("paths: opaque", "routes: [{ path: /a, backend: api }]"),
    tenant("cors: { origins: [\"*\"], credentials: true }"),
    tenant("cors: { origins: [\"*\", https://a.example] }"), tenant("cors: { origins: [https://a.example/] }"),
    tenant("cors: { origins: [\"null\"] }"), "name: Notes\n",
  ]

  private static let goodGateways = [
    "{}", "store: { url: \"mariadb://user@host:3306/speed\", passwordEnv: A }", "loops: 4",
    """
    listen:
      - { address: 0.0.0.0:8080 }
      - { address: "[::]:8443", tls: [{ certificate: certs/speed.pem, key: certs/speed.key }] }
    admin: { address: 127.0.0.1:9901 }
    platform: { apiHosts: [api.speed.so, "::1"], dashHosts: [dash.speed.so], publicUrl: https://api.speed.so }
    store: { url: sqlite:var/gateway.db }
    tenants: tenants
    plugins: plugins
    tokens: { keys: var/keys }
    apple: { issuer: https://appleid.apple.com, keysUrl: http://127.0.0.1:9400/auth/keys }
    mail: { smtp: smtps://mail.example.com, from: no-reply@speed.so, username: speed, passwordEnv: SPEED_MAIL_PASSWORD }
    trustedProxies: [10.0.0.0/8, fd00::/8, 192.0.2.1]
    log: { format: json, level: info, access: { mode: sampled, oneIn: 10, file: var/access.log } }
    limits: { maxConnections: 100000, maxHeader: 32KiB, signIns: { requests: 300, per: 1m } }
    drain: { delay: 1s, timeout: 30s }
    handover: none
    """, "admin: { address: 0.0.0.0:9901, tokenEnv: SPEED_ADMIN_TOKEN }",
  ]

  private static let badGateways = [
    "nope: 1", "listen: []", "listen: [{ address: 8080 }]", "listen: [{ address: host:80 }]",
    "listen: [{ address: 127.0.0.1:65536 }]", "listen: [{ address: 127.0.0.1:1, tls: [] }]",
    "admin: { address: 0.0.0.0:9901 }", "platform: { publicUrl: https://a.example/x }", "platform: { apiHosts: [] }",
    "store: { url: postgres://a/b }", "store: { url: mariadb://a:b@c/d }", "store: { passwordEnv: A, passwordFile: b }",
    "tenants: file:x", "trustedProxies: [10.0.0.0/33]", "trustedProxies: [host]", "log: { level: loud }",
    "limits: { maxHeader: 1B }", "limits: { signIns: { requests: 300 } }", "drain: { delay: -1s }",
    "drain: { timeout: 61m }", "loops: 0", "mail: { smtp: smtp://mail.example.com, from: a@b.c }",
    "mail: { from: a@b.c }", "mail: { smtp: smtps://mail.example.com, from: a@b.c, username: u }",
    "mail: { smtp: smtps://mail.example.com, from: a@b.c, passwordEnv: A }",
    "mail: { smtp: smtps://mail.example.com, from: a@b.c, username: u, passwordEnv: A, passwordFile: b }",
    "apple: { issuer: http://appleid.apple.com }",
  ]

  @Test(
    "A public validator takes what check takes, and refuses each kind of wrong value that check refuses",
    .enabled(if: PublicValidator.isThere))
  func tenants() throws {
    try compare(Self.goodTenants, Self.badTenants, JSONSchema.tenant) { read($0).problems }
    try compare(Self.goodGateways, Self.badGateways, JSONSchema.gateway) { gateway($0).problems }
  }

  private func compare(
    _ good: [String], _ bad: [String], _ schema: String, _ check: (String) -> [Problem]
  ) throws {
    let verdicts = try PublicValidator.verdicts(
      try (good + bad).map { try #require(JSONTree.document($0)) }, schema: schema)
    try #require(verdicts.count == good.count + bad.count)
    for (index, text) in good.enumerated() {
      #expect(check(text).errors.isEmpty, "\(text)")
      #expect(verdicts[index], "\(text)")
    }
    for (index, text) in bad.enumerated() {
      #expect(!check(text).errors.isEmpty, "\(text)")
      #expect(!verdicts[good.count + index], "\(text)")
    }
  }

  @Test("The schema tells description, default and example of each key, and has no two of a name")
  func members() throws {
    for (text, table) in [(JSONSchema.tenant, TenantKeys.schema), (JSONSchema.gateway, GatewayKeys.schema)] {
      let schema = try JSONValue(parsing: Array(text.utf8))
      #expect(schema["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema")
      #expect(schema["additionalProperties"] == .bool(false))
      for row in table.rows {
        let property = schema["properties"]?[row.name]
        #expect(property?["description"]?.string?.hasPrefix(row.summary) == true, "\(row.name)")
        #expect((property?["default"] != nil) == (row.defaultValue != nil), "\(row.name)")
        #expect((property?["examples"] != nil) == (row.example != nil), "\(row.name)")
      }
    }
    let schema = try JSONValue(parsing: Array(JSONSchema.tenant.utf8))
    #expect(schema["properties"]?["sessions"]?["properties"]?["lifetime"]?["default"] == .string("7d"))
  }
}
