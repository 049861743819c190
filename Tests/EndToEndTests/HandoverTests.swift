import GatewayTesting
import Testing

/// A new process takes over from the running one.
@Suite("Hand-over", .onWiresOfItsOwn) struct HandoverTests {
  private let backend: ScriptedBackend

  init() throws { backend = try ScriptedBackend() }

  private func gateway(_ sections: [String: String] = [:]) throws -> GatewayProcess {
    var tenant = TenantFile(301, "hand.localhost", bundleIDs: [], ports: [backend.port])
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    return try GatewayProcess(
      GatewaySetup(
        keysURL: "http://127.0.0.1:9/", tenants: ["a.yaml": tenant.yaml],
        sections: ["drain": "{ delay: 1s, timeout: 20s }", "loops": "2"].merging(sections) { $1 }))
  }

  private static func request(_ target: String) -> HTTPRequest { HTTPRequest("GET", target, host: "hand.localhost") }

  /// Requests that go on until told to stop; each must come back from the backend as it was sent.
  private struct Load {
    let answered = Monitor(0)
    private let isStopping = Monitor(false)
    private let run: ParallelRun<Void>

    /// - Parameter threads: half of them keep their connections for as long as they may.
    init(_ threads: Int, port: UInt16) {
      run = Parallel.start(threads) { [answered, isStopping] thread in
        var connection = try LoopbackConnection(port: port)
        var number = 0
        while !isStopping.current {
          number += 1
          let target = "/\(thread)/\(number)"
          let answer = try connection.exchange(HandoverTests.request(target))
          guard answer.status == 200, try answer.json()["target"].string == target else {
            throw TestFailure("\(target) was answered \(answer.status)")
          }
          answered.change { $0 += 1 }
          guard thread % 2 == 1 || answer.fields["Connection"] == "close" else { continue }
          connection.close()
          connection = try LoopbackConnection(port: port)
        }
        connection.close()
      }
    }

    func waitForMore(_ count: Int) -> Bool {
      let before = answered.current
      return answered.wait { $0 >= before + count ? true : nil } == true
    }

    func stop() throws {
      isStopping.change { $0 = true }
      _ = try run.wait()
    }
  }

  @Test("under load a successor takes over three times, no request fails, and each predecessor ends with 0")
  func underLoad() throws {
    let gateway = try gateway()
    let port = gateway.port
    let load = Load(6, port: port)
    for _ in 0..<3 {
      #expect(load.waitForMore(100))
      let predecessor = try gateway.startSuccessor()
      #expect(gateway.port == port, "the successor has the same listener")
      #expect(predecessor.waitForEnd() == .exited(0))
    }
    #expect(load.waitForMore(100))
    try load.stop()
    #expect(gateway.process.isRunning)
  }

  @Test("the readiness that others see never breaks")
  func readiness() throws {
    let gateway = try gateway()
    let adminPort = gateway.adminPort
    let isDone = Monitor(false)
    let probe = Parallel.start(1) { _ in
      var connection = try LoopbackConnection(port: adminPort)
      while !isDone.current {
        let answer = try connection.exchange(HTTPRequest("GET", "/readyz", host: "localhost"))
        guard answer.status == 200 else { throw TestFailure("/readyz said \(answer.status)") }
        if answer.fields["Connection"] == "close" {
          connection.close()
          connection = try LoopbackConnection(port: adminPort)
        }
      }
      connection.close()
    }
    let predecessor = try gateway.startSuccessor()
    #expect(gateway.adminPort == adminPort)
    #expect(predecessor.waitForEnd() == .exited(0))
    isDone.change { $0 = true }
    _ = try probe.wait()
  }

  @Test("a request that runs is finished by the process that began it")
  func runningRequest() throws {
    let gate = Gate()
    let slow = try ScriptedBackend { exchange in
      try gate.pass()
      try exchange.echo()
    }
    let gateway = try gateway()
    var tenant = TenantFile(302, "slow.localhost", bundleIDs: [], ports: [slow.port])
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    try gateway.folder.write("tenants/b.yaml", tenant.yaml)
    let request = HTTPRequest("GET", "/slow", host: "slow.localhost")
    gateway.process.signal(1)
    #expect(gateway.process.waitForLine { $0.contains("\"apps\":2") ? true : nil } == true)
    let connection = try gateway.connect()
    defer { connection.close() }
    try connection.send(request.bytes)
    #expect(slow.waitForRequest() != nil)
    let predecessor = try gateway.startSuccessor()
    #expect(predecessor.waitForLine { $0.contains("draining") ? true : nil } == true)
    #expect(predecessor.isRunning)
    gate.open()
    #expect(try connection.receiveAnswer().status == 200)
    connection.close()
    #expect(predecessor.waitForEnd() == .exited(0))
  }

  @Test("a successor that can't start changes nothing: the running process goes on")
  func failedStart() throws {
    let gateway = try gateway()
    let load = Load(4, port: gateway.port)
    // A port that somebody else has: the successor finds that out after it has got the sockets.
    let other = try ScriptedBackend()
    let listen = "[{ address: 127.0.0.1:0 }, { address: 127.0.0.1:\(other.port) }]"
    let yaml = try gateway.folder.read("gateway.yaml")
    try gateway.folder.write("gateway.yaml", Self.listening(yaml, listen))
    let result = try gateway.command("serve")
    #expect(result.exitCode == 78)
    #expect(result.standardError.contains("an address can't be listened on"))
    #expect(load.waitForMore(200))
    try load.stop()
    #expect(gateway.process.isRunning)
    // And the next one, with a configuration that it can use, takes over.
    try gateway.folder.write("gateway.yaml", yaml)
    #expect(try gateway.startSuccessor().waitForEnd() == .exited(0))
    #expect(try gateway.exchange(Self.request("/")).status == 200)
  }

  @Test("listeners may be added and removed, and the loops be more or fewer", arguments: [1, 3])
  func changedListeners(loops: Int) throws {
    let gateway = try gateway(["listen": "[{ address: 127.0.0.1:0 }, { address: 127.0.0.2:0 }]"])
    let port = gateway.port
    let load = Load(4, port: port)
    let yaml = try gateway.folder.read("gateway.yaml")
      .replacing("{ address: 127.0.0.2:0 }", with: "{ address: 127.0.0.1:0 }")
      .replacing("loops: 2", with: "loops: \(loops)")
    try gateway.folder.write("gateway.yaml", yaml)
    let predecessor = try gateway.startSuccessor()
    #expect(predecessor.waitForEnd() == .exited(0))
    #expect(load.waitForMore(100))
    try load.stop()
    let ports = gateway.ports
    #expect(ports.count == 2 && ports.first == port && ports.last != port)
    for port in ports {
      // Often enough to meet every loop's socket.
      for number in 0..<40 {
        #expect(try LoopbackConnection.exchange(port: port, Self.request("/\(number)")).status == 200)
      }
    }
  }

  @Test("tokens and accounts are the same on both sides of a hand-over")
  func identity() throws {
    let sandbox = try SandboxProcess()
    let tenant = TenantFile(303, "id.localhost", bundleIDs: ["com.example.id"], ports: [backend.port])
    let gateway = try GatewayProcess(
      GatewaySetup(
        keysURL: sandbox.keysURL, tenants: ["a.yaml": tenant.yaml],
        sections: ["drain": "{ delay: 1s, timeout: 20s }"]))
    let before = try gateway.bearer(app: 303, try sandbox.token(TokenRequest(audience: "com.example.id")))
    let isDone = Monitor(false)
    // Sign-ins go on meanwhile, into one database, through whichever process takes the connection.
    let signIns = Parallel.start(2) { _ -> Int in
      var count = 0
      while !isDone.current {
        let token = try sandbox.token(TokenRequest(audience: "com.example.id"))
        let answer = try gateway.signIn(app: 303, token)
        guard answer.status == 200 else { throw TestFailure("a sign-in was answered \(answer.status): \(answer.text)") }
        count += 1
      }
      return count
    }
    #expect(try gateway.startSuccessor().waitForEnd() == .exited(0))
    isDone.change { $0 = true }
    #expect(try signIns.wait().reduce(0, +) > 0)
    #expect(try gateway.me(before).status == 200)
    let after = try gateway.bearer(app: 303, try sandbox.token(TokenRequest(audience: "com.example.id")))
    #expect(try gateway.me(after).status == 200)
  }

  @Test("what a killed process left behind is in nobody's way")
  func staleSocket() throws {
    let gateway = try gateway()
    gateway.kill()
    try gateway.start()
    #expect(try gateway.exchange(Self.request("/")).status == 200)
  }

  /// The configuration with other listeners.
  private static func listening(_ yaml: String, _ listeners: String) -> String {
    yaml.split(separator: "\n").map { $0.hasPrefix("listen:") ? "listen: \(listeners)" : String($0) }
      .joined(separator: "\n")
  }

  @Test("with handover: none a second process is refused the port")
  func switchedOff() throws {
    let gateway = try gateway(["handover": "none"])
    let yaml = try gateway.folder.read("gateway.yaml")
    try gateway.folder.write("gateway.yaml", Self.listening(yaml, "[{ address: 127.0.0.1:\(gateway.port) }]"))
    #expect(try gateway.command("serve").exitCode == 78)
    #expect(try gateway.exchange(Self.request("/")).status == 200)
  }
}
