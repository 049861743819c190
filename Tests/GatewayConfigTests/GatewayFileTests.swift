import GatewayBase
import Testing

@testable import GatewayConfig

@Suite struct GatewayFileTests {
  @Test("With no file at all the contract's defaults hold")
  func defaults() throws {
    let folder = try TemporaryFolder()
    let file = gateway("log: { level: info }")
    #expect(file.problems.isEmpty)
    let configuration = file.configuration
    #expect(configuration.listen.map(\.address.description) == ["127.0.0.1:8080"])
    #expect(configuration.admin == AdminConfiguration(address: .loopback(port: 9901), token: nil))
    #expect(configuration.platform.apiHosts.map(\.description) == ["localhost", "127.0.0.1"])
    #expect(configuration.platform.dashHosts.map(\.description) == ["localhost", "127.0.0.1"])
    #expect(configuration.platform.publicURL.description == "http://localhost:8080")
    #expect(configuration.store == StoreConfiguration(location: .sqlite(path: "var/gateway.db"), password: nil))
    #expect(
      configuration.tenants == "tenants" && configuration.plugins == "plugins" && configuration.tokenKeys == "var/keys")
    #expect(configuration.apple.keysURL.description == "https://appleid.apple.com/auth/keys")
    #expect(configuration.limits == LimitConfiguration() && configuration.limits.maxConnections == 100_000)
    #expect(configuration.limits.maxHeader == .kibibytes(32))
    #expect(configuration.limits.signIns == RateLimit(requests: 300, per: .minutes(1), by: .address))
    #expect(configuration.drain == DrainConfiguration(delay: .seconds(1), timeout: .seconds(30)))
    #expect(configuration.log == LogConfiguration(format: .json, level: .info) && configuration.loops == nil)
    #expect(configuration.log.access.mode == .off && configuration.handover == "var/handover.sock")
    if (try? FileSystem.kind(of: GatewayFile.defaultPath)) == .absent {
      let none = GatewayFile.read(nil, environment: [:])
      #expect(none.path == nil && none.problems.isEmpty && none.configuration == configuration)
    }
    #expect(GatewayFile.read(folder.path + "/gone.yaml", environment: [:]).problems.map(\.code) == [.unreadableFile])
  }

  @Test("Every key of the contract's example is read and typed")
  func fullExample() {
    let file = GatewayFile.read(
      "conf/gateway.yaml",
      bytes: Array(
        """
        listen:
          - { address: 0.0.0.0:8080 }
          - { address: 0.0.0.0:8443, tls: [{ certificate: certs/speed.pem, key: certs/speed.key }] }   # chosen by SNI
        admin: { address: 127.0.0.1:9901 }
        platform: { apiHosts: [api.speed.so], dashHosts: [dash.speed.so], publicUrl: https://api.speed.so }
        store: { url: sqlite:var/gateway.db }            # or mariadb://user@host:3306/speed
        tenants: tenants
        plugins: plugins
        tokens: { keys: var/keys }
        apple: { issuer: https://appleid.apple.com }     # keysUrl, tokenUrl, revokeUrl, migrationUrl follow from it
        mail: { smtp: smtps://mail.example.com, from: no-reply@speed.so }
        trustedProxies: [10.0.0.0/8]
        log: { format: json, level: info }
        limits: { maxConnections: 100000, maxHeader: 32KiB, signIns: { requests: 300, per: 1m } }
        drain: { delay: 1s, timeout: 30s }
        """.utf8), environment: [:])
    #expect(file.problems.isEmpty)
    let configuration = file.configuration
    #expect(configuration.listen.map(\.address.description) == ["0.0.0.0:8080", "0.0.0.0:8443"])
    #expect(configuration.listen.last?.tls == [.init(certificate: "conf/certs/speed.pem", key: "conf/certs/speed.key")])
    #expect(configuration.platform.publicURL.description == "https://api.speed.so")
    #expect(configuration.tenants == "conf/tenants" && configuration.tokenKeys == "conf/var/keys")
    #expect(configuration.store.location == .sqlite(path: "conf/var/gateway.db"))
    #expect(configuration.mail?.smtp.port == 465 && configuration.mail?.from.text == "no-reply@speed.so")
    #expect(configuration.trustedProxies.first?.prefix == 8)
    #expect(configuration.reservedHosts.map(\.description).sorted() == ["api.speed.so", "dash.speed.so", "localhost"])
  }

  @Test("The access log is off, sampled or on, and goes to standard output or a file")
  func accessLog() {
    func access(_ text: String) -> AccessLogConfiguration {
      let file = gateway("log: { access: \(text) }")
      #expect(file.problems.isEmpty)
      return file.configuration.log.access
    }
    #expect(access("{ mode: on }") == AccessLogConfiguration(mode: .on, oneIn: 100, file: nil))
    #expect(access("{ mode: sampled, oneIn: 7 }") == AccessLogConfiguration(mode: .sampled, oneIn: 7, file: nil))
    #expect(access("{ mode: on, file: /var/log/a.log }").file == "/var/log/a.log")
  }

  @Test("The hand-over socket is a path, relative to the file, or none")
  func handover() {
    #expect(gateway("handover: run/h.sock").configuration.handover?.hasSuffix("run/h.sock") == true)
    #expect(gateway("handover: none").configuration.handover == nil)
    #expect(gateway("handover: none").problems.isEmpty)
  }

  @Test("What the client's edge is told is read")
  func edge() {
    let file = gateway(
      "listen: [{ address: 0.0.0.0:80, proxyProtocol: true }, { address: 0.0.0.0:81 }]\n"
        + "trustedProxies: [10.0.0.0/8, \"::ffff:192.168.0.0/112\"]\n"
        + "limits: { maxConnectionsPerAddress: 7, signIns: { requests: 9, per: 10s } }")
    #expect(file.problems.isEmpty)
    #expect(file.configuration.listen.map(\.isAnnounced) == [true, false])
    #expect(file.configuration.trustedProxies.map(\.description) == ["10.0.0.0/8", "192.168.0.0/16"])
    #expect(file.configuration.limits.maxConnectionsPerAddress == 7)
    #expect(file.configuration.limits.signIns == RateLimit(requests: 9, per: .seconds(10), by: .address))
    #expect(LimitConfiguration().maxConnectionsPerAddress == nil)
  }

  @Test("The other URLs of Apple follow from the issuer or are given, and a plugin gets them by its section")
  func appleSettings() {
    let file = gateway("apple: { issuer: http://127.0.0.1:9400, keysUrl: http://127.0.0.1:9401/k }")
    #expect(file.problems.isEmpty)
    #expect(
      file.configuration.pluginSettings("apple") == [
        "issuer": "http://127.0.0.1:9400", "keysUrl": "http://127.0.0.1:9401/k",
        "tokenUrl": "http://127.0.0.1:9400/auth/token",
        "revokeUrl": "http://127.0.0.1:9400/auth/revoke",
        "migrationUrl": "http://127.0.0.1:9400/auth/usermigrationinfo",
      ])
    #expect(file.configuration.pluginSettings("store").isEmpty)
  }

  @Test("MariaDB's URL names a user, never a password")
  func mariaDB() throws {
    let good = gateway(
      "store: { url: \"mariadb://speed@db.example/speed\", passwordEnv: DB }", environment: ["DB": "x"])
    #expect(good.problems.isEmpty)
    #expect(good.configuration.store.password == .environment("DB"))
    #expect(good.configuration.store.location == (try StoreAddress("mariadb://speed@db.example/speed")))
    let bad = gateway("store: { url: \"mariadb://speed:hunter2@db.example/speed\" }")
    #expect(bad.problems.brief == ["1:15 error plain_secret"])
    #expect(!ProblemReport(bad.problems).rendered(.json).contains("hunter2"))
    let password = gateway("store: { password: hunter2 }")
    #expect(password.problems.brief == ["1:20 error plain_secret"])
    #expect(password.problems.first?.hint?.contains("passwordEnv or passwordFile") == true)
  }

  @Test("MariaDB's URL takes TLS and a socket file, whose paths are relative to the configuration")
  func mariaDBOptions() throws {
    let yaml = "store: { url: \"mariadb://u@bücher.example/d?socket=m.sock&tls=required&ca=a.pem\" }"
    let file = GatewayFile.read("conf/gateway.yaml", bytes: Array(yaml.utf8), environment: [:])
    #expect(file.problems.isEmpty)
    let url = "mariadb://u@xn--bcher-kva.example/d?socket=conf/m.sock&tls=required&ca=conf/a.pem"
    #expect(file.configuration.store.location == (try StoreAddress(url)))
    #expect(gateway("store: { url: \"mariadb://u@h/d?tls=no\" }").problems.brief == ["1:15 error invalid_value"])
  }

  @Test(
    "A store of another kind or without its parts is refused",
    arguments: [
      "postgres://a@b/c", "mariadb://db.example/speed", "mariadb://speed@db.example",
      "mariadb://speed@db.example:0/speed",
      "sqlite:", "sqlite://var/x", "sqlite::memory:", "mariadb://speed@/speed", "mariadb://speed@db.example/a/b",
    ])
  func noStore(url: String) {
    #expect(gateway("store: { url: \"\(url)\" }").problems.brief == ["1:15 error invalid_value"])
  }

  @Test("An admin listener that others can reach must have a token")
  func openAdmin() {
    #expect(gateway("admin: { address: 0.0.0.0:9901 }").problems.brief == ["1:19 error missing_key"])
    #expect(gateway("admin: { address: \"[::1]:9901\" }").problems.isEmpty)
    let file = gateway("admin: { address: 0.0.0.0:9901, tokenEnv: T }", environment: ["T": "x"])
    #expect(file.problems.isEmpty && file.configuration.admin.token == .environment("T"))
  }

  @Test("The public URL follows from the API host, or from the first port")
  func publicURL() {
    #expect(
      gateway("platform: { apiHosts: [api.example] }").configuration.platform.publicURL.description
        == "https://api.example")
    #expect(
      gateway("listen: [{ address: 127.0.0.1:0 }]").configuration.platform.publicURL.description == "http://localhost")
    #expect(
      gateway("listen: [{ address: 127.0.0.1:81 }]").configuration.platform.publicURL.description
        == "http://localhost:81")
  }

  @Test("SPEED_ variables override scalar keys, whether the file has them or not")
  func overrides() {
    let file = gateway(
      "log: { level: info }\n",
      environment: [
        "SPEED_STORE_URL": "sqlite:/tmp/x.db", "SPEED_ADMIN_ADDRESS": "127.0.0.1:1", "SPEED_LOG_LEVEL": "debug",
        "SPEED_LIMITS_MAX_CONNECTIONS": "7", "SPEED_TENANTS": "apps", "SPEED_APPLE_KEYS_URL": "https://a.example/k",
        "SPEED_PLATFORM_PUBLIC_URL": "https://b.example", "SPEED_LOOPS": "1", "SPEED_TEST_MARIADB": "whatever",
        "PATH": "/bin",
      ])
    #expect(file.problems.isEmpty)
    #expect(file.configuration.store.location == .sqlite(path: "/tmp/x.db"))
    #expect(file.configuration.admin.address.port == 1 && file.configuration.log.level == .debug)
    #expect(file.configuration.limits.maxConnections == 7 && file.configuration.tenants == "apps")
    #expect(file.configuration.apple.keysURL.description == "https://a.example/k")
    #expect(file.configuration.platform.publicURL.description == "https://b.example" && file.configuration.loops == 1)
  }

  @Test("A wrong variable is reported under its name")
  func wrongOverride() {
    let file = gateway("log: {}", environment: ["SPEED_LIMITS_MAX_CONNECTIONS": "0x50", "SPEED_LOG_LEVEL": ""])
    let text = ProblemReport(file.problems).rendered(.text)
    #expect(
      text.contains(
        "environment:SPEED_LIMITS_MAX_CONNECTIONS: error: `0x50` is not a plain decimal number (invalid_value)\n  write 80\n"
      ))
    #expect(text.contains("environment:SPEED_LOG_LEVEL: error: the variable is set but empty (empty_value)"))
    #expect(!file.isUsable)
  }

  @Test("A variable that is nearly a key's is a warning")
  func nearlyOverride() {
    let file = gateway("log: {}", environment: ["SPEED_STROE_URL": "sqlite:x"])
    #expect(file.problems.map(\.code) == [.unknownVariable] && file.isUsable)
    #expect(file.problems.first?.hint == "did you mean SPEED_STORE_URL?")
  }

  @Test("A path in a variable is relative to the working folder, one in a file to the file")
  func relativePaths() {
    let file = GatewayFile.read(
      "/etc/speed/gateway.yaml", bytes: Array("plugins: ../plugins".utf8), environment: ["SPEED_TENANTS": "apps"])
    #expect(file.configuration.tenants == "apps" && file.configuration.plugins == "/etc/speed/../plugins")
    #expect(file.configuration.tokenKeys == "/etc/speed/var/keys")
  }

  @Test(
    "Wrong values of the process's file are errors at their place",
    arguments: [
      ("listen: []", "1:9 error empty_value"), ("listen: [{ address: a:80 }]", "1:21 error invalid_value"),
      ("listen: [{}]", "1:10 error missing_key"), ("log: { level: loud }", "1:15 error invalid_value"),
      ("drain: { delay: 1 }", "1:17 error invalid_value"), ("handover: [a]", "1:11 error invalid_value"),
      ("log: { access: on }", "1:16 error invalid_value"),
      ("log: { access: { mode: yes } }", "1:24 error invalid_value"),
      ("log: { access: { oneIn: 0 } }", "1:25 error invalid_value"),
      ("limits: { maxHeader: 1MiB }", "1:22 error invalid_value"),
      ("limits: { maxConnections: 0 }", "1:27 error invalid_value"),
      ("limits: { maxConnectionsPerAddress: 0 }", "1:37 error invalid_value"),
      ("limits: { signIns: { requests: 1, per: 1m, by: app } }", "1:44 error unknown_key"),
      ("limits: { signIns: { requests: 1 } }", "1:20 error missing_key"),
      ("listen: [{ address: 0.0.0.0:80, proxyProtocol: yes }]", "1:48 error invalid_value"),
      ("trustedProxies: [10.0.0.1/8]", "1:18 error invalid_value"),
      ("trustedProxies: 10.0.0.0/8", "1:17 error invalid_value"),
      ("platform: { apiHosts: [a b] }", "1:24 error invalid_value"),
      ("apple: { issuer: \"https://u@a.example\" }", "1:18 error invalid_value"),
      ("platform: { publicUrl: https://a.example/x }", "1:24 error invalid_value"),
      ("listen: [{ address: 0.0.0.0:80 }, { address: 0.0.0.0:80 }]", "1:35 error invalid_value"),
      ("nope: 1", "1:1 error unknown_key"),
      ("tenants: \"file:///x\"", "1:10 error invalid_value"), ("loops: 0", "1:8 error invalid_value"),
    ])
  func wrong(yaml: String, brief: String) {
    let file = gateway(yaml)
    #expect(file.problems.brief == [brief] && !file.isUsable)
  }

  @Test(
    "Mail goes out by TLS, or plainly on loopback",
    arguments: [
      ("smtps://mail.example.com", true), ("smtp://127.0.0.1:2525", true), ("smtp://mail.example.com", false),
      ("https://a.example", false),
      ("smtps://u:hunter2@mail.example.com", false),
    ])
  func mail(url: String, isGood: Bool) {
    #expect(gateway("mail: { smtp: \"\(url)\", from: a@b.example }").isUsable == isGood)
  }

  @Test(
    "A relay gets a name and its password, or neither",
    arguments: [
      ("username: speed, passwordEnv: MAIL", []),
      ("username: speed, passwordFile: nowhere", ["warning secret_missing"]),
      ("username: speed", ["error missing_key"]), ("passwordEnv: MAIL", ["error missing_key"]),
      ("username: speed, passwordEnv: MAIL, passwordFile: nowhere", ["error invalid_value"]),
      ("username: speed, password: hunter2", ["error plain_secret", "error missing_key"]), ("ca: certs/mail.pem", []),
    ])
  func relay(rules: String, problems: [String]) {
    let file = gateway(
      "mail: { smtp: smtps://mail.example.com, from: a@b.example, \(rules) }", environment: ["MAIL": "secret"])
    #expect(file.problems.brief.map { $0.split(separator: " ").dropFirst().joined(separator: " ") } == problems)
  }

  @Test(
    "A sender that no relay takes is refused", arguments: ["\"a b@c.example\"", "a..b@c.example", "a@b", "a@192.0.2.1"])
  func sender(_ from: String) {
    #expect(!gateway("mail: { smtp: smtps://mail.example.com, from: \(from) }").isUsable)
    #expect(gateway("mail: { smtp: smtps://mail.example.com, from: a@bücher.example }").isUsable)
  }
}
