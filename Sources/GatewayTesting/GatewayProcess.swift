import GatewayBase

/// The real command `speed-gateway serve` on a folder of its own.
package final class GatewayProcess: Sendable {
  package let folder: TemporaryFolder
  private let environment: [String: String]
  private let running = Monitor<Running?>(nil)

  private struct Running: Sendable {
    let process: ChildProcess
    let port: UInt16
    let adminPort: UInt16
  }

  /// Writes the files of `setup`, starts the command and waits until it is ready.
  package init(_ setup: GatewaySetup) throws {
    folder = try TemporaryFolder()
    environment = ProcessEnvironment.inherited.merging(setup.environment) { $1 }
    try folder.makeFolder("tenants")
    try folder.write("gateway.yaml", setup.yaml)
    for (name, text) in setup.tenants { try folder.write("tenants/\(name)", text) }
    try start()
  }

  /// Starts the command again after it has ended, on the same folder.
  package func start() throws {
    let process = try ChildProcess(
      [Built.command, "serve", "--config", folder.path("gateway.yaml")], environment: environment,
      folder: folder.path, litter: folder.path)
    let port = try ListeningLine.port(of: "proxy", in: process)
    let adminPort = try ListeningLine.port(of: "admin", in: process)
    let isReady = try eventually {
      guard process.isRunning else { throw TestFailure("the gateway ended: \(process.standardError)") }
      return (try? Self.status(of: "/readyz", adminPort)) == 200
    }
    guard isReady else { throw TestFailure("the gateway is not ready: \(process.standardError)") }
    running.change { $0 = Running(process: process, port: port, adminPort: adminPort) }
  }

  private var now: Running {
    guard let now = running.current else { preconditionFailure("a gateway is started by its initialiser") }
    return now
  }

  package var process: ChildProcess { now.process }

  /// The port of the listener for apps and the platform API.
  package var port: UInt16 { now.port }

  package var adminPort: UInt16 { now.adminPort }

  /// The status that a path of the admin listener answers.
  package func adminStatus(_ path: String) throws -> Int { try Self.status(of: path, adminPort) }

  private static func status(of path: String, _ port: UInt16) throws -> Int {
    try LoopbackConnection.exchange(port: port, HTTPRequest("GET", path, host: "127.0.0.1:\(port)")).status
  }

  /// Sends one request on a connection of its own.
  package func exchange(_ request: HTTPRequest, seconds: Double = Patience.seconds) throws -> HTTPAnswer {
    let connection = try connect(seconds: seconds)
    defer { connection.close() }
    return try connection.exchange(request)
  }

  /// - Throws: `TestFailure` with the end of its log where the process has died.
  package func connect(seconds: Double = Patience.seconds) throws -> LoopbackConnection {
    do {
      return try LoopbackConnection(port: port, seconds: seconds)
    } catch {
      guard let end = process.waitForEnd(seconds: 0) else { throw error }
      throw TestFailure("the gateway has ended: \(end)\n\(process.lines.suffix(20).joined(separator: "\n"))")
    }
  }

  /// Ends the process with SIGKILL and waits until it is gone.
  package func kill() {
    process.kill()
    _ = process.waitForEnd()
  }

  /// Runs another command with this gateway's configuration.
  package func command(_ arguments: String...) throws -> CommandResult {
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
    let port = process.waitForLine { line -> UInt16? in
      guard let record = try? JSON(parsing: Array(line.utf8)), record["message"].string == "listening",
        record["role"].string == role
      else { return nil }
      return record["address"].string?.split(separator: ":").last.flatMap { UInt16($0) }
    }
    guard let port else { throw TestFailure("no listener for \(role): \(process.standardError)") }
    return port
  }
}
