import GatewayTesting
import Testing

/// Plugins in a process of their own: what one does costs its own sign-ins a 503, and nobody else anything.
@Suite("Isolated plugins", .onWiresOfItsOwn) struct IsolationTests {
  private let stage: Stage

  init() throws { stage = try Stage.shared() }

  private func gateway(_ plugins: TemporaryFolder) throws -> GatewayProcess {
    var tenant = TenantFile(403, "isolated.localhost", bundleIDs: ["com.example.isolated"], ports: [stage.backend.port])
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    return try GatewayProcess(
      GatewaySetup(
        keysURL: stage.sandbox.keysURL,
        tenants: ["a.yaml": tenant.yaml.replacing("[apple-native]", with: "[apple-native, misbehaving]")],
        sections: ["plugins": plugins.path]))
  }

  private func order(_ gateway: GatewayProcess, _ what: String) throws -> HTTPAnswer {
    try gateway.exchange(
      HTTPRequest(
        "POST", MisbehavingPlugin.path, host: "api.localhost",
        json: .object(["appId": .integer(403), "do": .string(what)])))
  }

  private func apple(_ gateway: GatewayProcess) throws -> Int {
    try gateway.signIn(app: 403, try stage.sandbox.token(TokenRequest(audience: "com.example.isolated"))).status
  }

  @Test(
    "GW-119 a plugin that ends, floods, leaks, hangs or talks nonsense costs its own sign-ins a 503 and nothing else",
    arguments: ["trap", "exit 7", "garbage AAAAAAAA", "flood", "huge", "questions 1000", "leak", "hang", "spin"])
  func faults(what: String) throws {
    let plugins = try MisbehavingPlugin.folder("timeout: 1s", "memory: 128MiB")
    let gateway = try gateway(plugins)
    #expect(try order(gateway, "sign me").status == 200)
    let load = Parallel.start(2) { _ in
      try (0..<100).map { _ in try gateway.exchange(HTTPRequest("GET", "/", host: "isolated.localhost")).status }
    }
    let answer = try order(gateway, what)
    // What spins leaves its call its answer, and serves nobody else.
    if what != "spin" {
      #expect(answer.status == 503 && answer.errorCode == "provider_unavailable")
      #expect(answer.fields["Retry-After"] != nil)
    }
    #expect(try apple(gateway) == 200)
    #expect(try load.wait().joined().allSatisfy { $0 == 200 })
    #expect(try eventually { try order(gateway, "sign me").status == 200 })
  }

  @Test("what a process does is counted, and how it ended is in the log")
  func observed() throws {
    let plugins = try MisbehavingPlugin.folder()
    let gateway = try gateway(plugins)
    #expect(try order(gateway, "trap").status == 503)
    #expect(try eventually { try order(gateway, "sign me").status == 200 })
    let metrics = try LoopbackConnection.exchange(
      port: gateway.adminPort, HTTPRequest("GET", "/metrics", host: "127.0.0.1")
    ).text
    #expect(metrics.contains(#"speed_plugin_process_up{plugin="misbehaving"} 1"#))
    #expect(metrics.contains(#"speed_plugin_process_restarts_total{plugin="misbehaving"} 1"#))
    #expect(
      gateway.process.lines.contains { $0.contains("a plugin's process has ended") && $0.contains("SIG") })
    #expect(gateway.process.lines.contains { $0.contains("a plugin's process serves again") })
    #expect(gateway.process.lines.contains { $0.contains("a plugin is loaded") && $0.contains(#""isolated":true"#) })
    let list = try gateway.command("plugin", "list")
    #expect(list.exitCode == 0 && list.standardOutput.contains("loaded, isolated"))
  }

  @Test("a process ends with its gateway, however that ends")
  func orphans() throws {
    let plugins = try MisbehavingPlugin.folder()
    let gateway = try gateway(plugins)
    #expect(try order(gateway, "sign me").status == 200)
    let children = try Self.children(of: gateway)
    #expect(children.count == 1)
    gateway.process.signal(9)
    for child in children {
      #expect(eventually { !Self.isRunning(child) })
    }
  }

  @Test("a call goes on in its process while the plugin changes, and the process ends after it")
  func change() throws {
    let plugins = try MisbehavingPlugin.folder()
    let gateway = try gateway(plugins)
    #expect(try order(gateway, "sign me").status == 200)
    let old = try Self.children(of: gateway)
    let slow = Parallel.start(1) { _ in try order(gateway, "wait 3000").status }
    let manifest = "misbehaving/plugin.yaml"
    let yaml = String(decoding: try FileBytes.read(plugins.path(manifest)), as: UTF8.self)
    try plugins.write(manifest, yaml + "\nmemory: 512MiB\n")
    #expect(try eventually { try Self.children(of: gateway).count == 2 })
    #expect(try order(gateway, "sign me").status == 200)
    #expect(old.allSatisfy(Self.isRunning), "the call is under way")
    #expect(try slow.wait() == [200])
    #expect(eventually { !old.contains(where: Self.isRunning) })
    #expect(try order(gateway, "sign me").status == 200)
  }

  @Test("a drain waits for a call in another process")
  func drain() throws {
    let plugins = try MisbehavingPlugin.folder()
    let gateway = try gateway(plugins)
    #expect(try order(gateway, "sign me").status == 200)
    let slow = Parallel.start(1) { _ in try order(gateway, "wait 1500").status }
    // Sooner it might not have begun.
    pause(milliseconds: 300)
    gateway.process.signal(15)
    #expect(try slow.wait() == [200])
    #expect(gateway.process.waitForEnd() == .exited(0))
  }

  private static func children(of gateway: GatewayProcess) throws -> [String] {
    let listing = try CommandResult.run(["sh", "-c", "cat /proc/\(gateway.process.identifier)/task/*/children"])
    return listing.standardOutput.split(separator: " ").map(String.init)
  }

  private static func isRunning(_ process: String) -> Bool {
    guard let status = try? FileBytes.read("/proc/\(process)/stat") else { return false }
    let fields = String(decoding: status, as: UTF8.self).split(separator: " ")
    return fields.count > 2 && fields[2] != "Z"
  }
}
