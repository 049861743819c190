import GatewayBase
import GatewayTesting

/// A MariaDB database of a test's own on the server that `SPEED_TEST_MARIADB` names (`mariadb://user@host:port/…`).
final class TestDatabase: Sendable {
  /// Whether there is a server, and its client to make databases with.
  static let isAvailable = server != nil

  private struct Server: Sendable {
    let user: String
    let host: String
    let port: UInt16
  }

  private static let server: Server? = {
    guard let url = ProcessEnvironment.value("SPEED_TEST_MARIADB"),
      let address = url.firstMatch(of: /^mariadb:\/\/(\w+)@([\w.-]+):(\d+)/), let port = UInt16(address.3)
    else { return nil }
    return Server(user: String(address.1), host: String(address.2), port: port)
  }()

  private let name = "speed_test_\(Hex.encode(UUIDText.random().bytes))"
  private let server: Server

  init() throws {
    guard let server = Self.server else { throw TestFailure("SPEED_TEST_MARIADB names no server") }
    self.server = server
    guard try execute("CREATE DATABASE \(name)") else { throw TestFailure("no database could be made") }
  }

  deinit { _ = try? execute("DROP DATABASE \(name)") }

  var serverPort: UInt16 { server.port }

  /// The database's address.
  ///
  /// - Parameter port: another port that leads to the same server.
  func url(port: UInt16? = nil) -> String {
    "mariadb://\(server.user)@\(server.host):\(port ?? server.port)/\(name)"
  }

  private func execute(_ statement: String) throws -> Bool {
    try CommandResult.run([
      "mariadb", "--no-defaults", "--host=\(server.host)", "--port=\(server.port)", "--user=\(server.user)",
      "--execute=\(statement)",
    ]).exitCode == 0
  }
}
