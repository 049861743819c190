import GatewayBase

/// The real command `speed-gateway serve` on a folder of its own.
package final class GatewayProcess: Sendable {
  package let folder: TemporaryFolder
  private let environment: [String: String]
  private let launcher: [String]
  private let clients: TestClients
  private let listensWithTLS: Bool
  private let running = Monitor<Running?>(nil)

  private struct Running: Sendable {
    let process: ChildProcess
    let port: UInt16
    let tlsPort: UInt16?
    let adminPort: UInt16
  }

  /// Writes the files of `setup`, starts the command and waits until it is ready.
  ///
  /// - Parameter launcher: a program and its first arguments, which becomes the command that the further ones name.
  package init(_ setup: GatewaySetup, launcher: [String] = []) throws {
    self.launcher = launcher
    folder = try TemporaryFolder()
    environment = ProcessEnvironment.inherited.merging(setup.environment) { $1 }
    let certificate = try TestCertificate.shared()
    try folder.makeFolder("tenants")
    try folder.write("certs/test.pem", certificate.certificate)
    try folder.write("certs/test.key", certificate.key, mode: 0o600)
    for (name, bytes) in setup.files { try folder.write(name, bytes) }
    clients = try TestClients(authority: folder.path("certs/test.pem"))
    listensWithTLS = setup.yaml.contains("tls: [")
    try folder.write("gateway.yaml", setup.yaml)
    for (name, text) in setup.tenants { try folder.write("tenants/\(name)", text) }
    try start()
  }

  /// Starts the command again after it has ended, on the same folder.
  package func start() throws {
    let next = try launch(launcher)
    running.change { $0 = next }
  }

  /// Starts the command once more beside the running one, on the same folder: it takes over.
  ///
  /// - Returns: the process that ran so far, and is to end by itself.
  package func startSuccessor(launcher: [String]? = nil) throws -> ChildProcess {
    let predecessor = process
    let next = try launch(launcher ?? self.launcher)
    running.change { $0 = next }
    return predecessor
  }

  private func launch(_ launcher: [String]) throws -> Running {
    let process = try ChildProcess(
      launcher + [Built.command, "serve", "--config", folder.path("gateway.yaml")], environment: environment,
      folder: folder.path, litter: folder.path)
    let port = try ListeningLine.port(of: "proxy", in: process)
    let tlsPort = try listensWithTLS ? ListeningLine.port(of: "proxy-tls", in: process) : nil
    let adminPort = try ListeningLine.port(of: "admin", in: process)
    let isReady = try eventually {
      guard process.isRunning else { throw TestFailure("the gateway ended: \(process.standardError)") }
      return (try? Self.status(of: "/readyz", adminPort)) == 200
    }
    guard isReady else { throw TestFailure("the gateway is not ready: \(process.standardError)") }
    return Running(process: process, port: port, tlsPort: tlsPort, adminPort: adminPort)
  }

  /// The ports of all listeners for apps, in the order of the configuration.
  package var ports: [UInt16] {
    process.lines.compactMap { ListeningLine.port(in: $0, role: "proxy") }
  }

  private var now: Running {
    guard let now = running.current else { preconditionFailure("a gateway is started by its initialiser") }
    return now
  }

  package var process: ChildProcess { now.process }

  /// The port of the listener for apps and the platform API without TLS.
  package var port: UInt16 { now.port }

  /// The port of the listener with TLS; nil where the setup has none.
  package var tlsPort: UInt16? { now.tlsPort }

  package var adminPort: UInt16 { now.adminPort }

  /// The status that a path of the admin listener answers.
  package func adminStatus(_ path: String) throws -> Int { try Self.status(of: path, adminPort) }

  private static func status(of path: String, _ port: UInt16) throws -> Int {
    try LoopbackConnection.exchange(port: port, HTTPRequest("GET", path, host: "127.0.0.1:\(port)")).status
  }

  /// Sends one request on a connection of its own.
  package func exchange(
    _ request: HTTPRequest, on kind: WireKind = .current, seconds: Double = Patience.seconds
  ) throws -> HTTPAnswer {
    let connection = try connect(kind, seconds: seconds)
    defer { connection.close() }
    return try connection.exchange(request)
  }

  /// Connects as clients of this run do.
  ///
  /// - Parameter receiveBuffer: bytes of the kernel's receive buffer; nil is the kernel's choice.
  /// - Throws: `TestFailure` with the end of its log where the process has died.
  package func connect(
    _ kind: WireKind = .current, seconds: Double = Patience.seconds, receiveBuffer: Int32? = nil
  ) throws -> LoopbackConnection {
    do {
      let wire = try clients.connect(kind, port: port, tlsPort: tlsPort, seconds, receiveBuffer)
      return LoopbackConnection(wire, seconds: seconds)
    } catch {
      guard let end = process.waitForEnd(seconds: 0) else { throw error }
      throw TestFailure("the gateway has ended: \(end)\n\(process.lines.suffix(20).joined(separator: "\n"))")
    }
  }

  /// Connects with HTTP/2 over TLS, for tests that send frames.
  ///
  /// - Parameter settings: what the client announces.
  package func connectHTTP2(
    settings: [(id: UInt16, value: UInt32)] = [], seconds: Double = Patience.seconds
  ) throws -> HTTP2Session {
    try HTTP2Session(client: clients.http2Stream(tlsPort: tlsPort, seconds), settings: settings, seconds: seconds)
  }

  /// Ends the process with SIGKILL and waits until it is gone.
  package func kill() {
    process.kill()
    _ = process.waitForEnd()
  }

  /// Runs another command with this gateway's configuration.
  package func command(_ arguments: String...) throws -> CommandResult { try command(arguments) }

  package func command(_ arguments: [String]) throws -> CommandResult {
    try CommandResult.run(
      [Built.command] + arguments + ["--config", folder.path("gateway.yaml")], environment: environment,
      folder: folder.path)
  }

  /// Everything that it has logged.
  package var log: String { process.lines.joined(separator: "\n") }
}

/// The log line by which a process tells the port that the kernel picked.
enum ListeningLine {
  static func port(of role: String, in process: ChildProcess) throws -> UInt16 {
    let port = process.waitForLine { Self.port(in: $0, role: role) }
    guard let port else { throw TestFailure("no listener for \(role): \(process.standardError)") }
    return port
  }

  /// The port that a line tells, if it is about a listener of this role.
  static func port(in line: String, role: String) -> UInt16? {
    guard let record = try? JSON(parsing: Array(line.utf8)), record["message"].string == "listening",
      record["role"].string == role
    else { return nil }
    return record["address"].string?.split(separator: ":").last.flatMap { UInt16($0) }
  }
}
