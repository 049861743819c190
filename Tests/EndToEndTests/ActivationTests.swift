import GatewayTesting
import Testing

/// Under a service manager: sockets that were open before the process began, and what the manager is told.
@Suite("Service manager", .onWiresOfItsOwn) struct ActivationTests {
  /// Plays the manager: opens two sockets, writes the first one's port into the configuration, and becomes the gateway.
  private static let manager = """
    import os, socket, sys
    sockets = [socket.socket() for _ in range(3)]
    for each in sockets[:2]:
        each.bind(("127.0.0.1", 0))
        each.listen(64)
    port = sockets[0].getsockname()[1]
    text = open("gateway.yaml").read().replace("PORT", str(port))
    open("gateway.yaml", "w").write(text)
    held = [os.dup(each.fileno()) for each in sockets]
    for index, descriptor in enumerate(held):
        os.dup2(descriptor, 3 + index, inheritable=True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="3", LISTEN_FDNAMES="web:admin:odd")
    os.execv(sys.argv[1], sys.argv[1:])
    """

  private let backend: ScriptedBackend

  init() throws { backend = try ScriptedBackend() }

  private func gateway(environment: [String: String] = [:]) throws -> GatewayProcess {
    var tenant = TenantFile(501, "unit.localhost", bundleIDs: [], ports: [backend.port])
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    var setup = GatewaySetup(
      keysURL: "http://127.0.0.1:9/", tenants: ["a.yaml": tenant.yaml],
      sections: [
        "listen": "[{ address: 127.0.0.1:PORT }]", "loops": "3", "drain": "{ delay: 500ms, timeout: 20s }",
      ])
    setup.environment = environment
    return try GatewayProcess(setup, launcher: ["python3", "-c", Self.manager])
  }

  private static let request = HTTPRequest("GET", "/", host: "unit.localhost")

  @Test("sockets that the manager opened serve the listeners of their address or name, whatever the number of loops")
  func activated() throws {
    let gateway = try gateway()
    // The passed socket does not share its port: had the gateway opened one of its own, it would not have started.
    #expect(try gateway.folder.read("gateway.yaml").contains("127.0.0.1:\(gateway.port)"))
    for _ in 0..<30 { #expect(try gateway.exchange(Self.request).status == 200) }
    #expect(try gateway.adminStatus("/readyz") == 200)
    #expect(gateway.log.contains("the service manager passed what is no listening socket"))
  }

  @Test("a socket of the manager goes on to a successor")
  func succeeded() throws {
    let gateway = try gateway()
    let port = gateway.port
    // The successor gets no sockets from the manager.
    let predecessor = try gateway.startSuccessor(launcher: [])
    #expect(gateway.port == port)
    for _ in 0..<30 { #expect(try gateway.exchange(Self.request).status == 200) }
    #expect(predecessor.waitForEnd() == .exited(0))
    for _ in 0..<30 { #expect(try gateway.exchange(Self.request).status == 200) }
  }

  @Test("the manager is told of the start, of a reload, of a successor and of the end")
  func told() throws {
    let folder = try TemporaryFolder()
    let manager = try DatagramReceiver(folder.path("notify"))
    let gateway = try gateway(environment: ["NOTIFY_SOCKET": folder.path("notify")])
    func isReady(_ process: ChildProcess) -> String { "READY=1\nMAINPID=\(process.identifier)\nSTATUS=Serving" }
    #expect(manager.next() == isReady(gateway.process))
    gateway.process.signal(1)
    #expect(manager.next()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
    #expect(manager.next() == isReady(gateway.process))
    let predecessor = try gateway.startSuccessor(launcher: [])
    #expect(manager.next() == isReady(gateway.process))
    #expect(predecessor.waitForEnd() == .exited(0))
    gateway.process.signal(15)
    #expect(manager.next() == "STOPPING=1\nSTATUS=Draining")
    #expect(gateway.process.waitForEnd() == .exited(0))
  }
}
