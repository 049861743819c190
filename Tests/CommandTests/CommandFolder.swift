import GatewayTesting

/// A gateway's files in a folder of their own, and the real command run on them.
final class CommandFolder {
  static let issuer = "http://api.localhost"

  private let folder: TemporaryFolder

  /// - Parameter sections: lines of gateway.yaml besides the platform's.
  init(_ sections: String = "", tenants: [String: String] = [:]) throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("tenants")
    try folder.write("gateway.yaml", "platform: { apiHosts: [api.localhost], publicUrl: \(Self.issuer) }\n" + sections)
    for (name, text) in tenants { try folder.write("tenants/\(name)", text) }
  }

  func path(_ name: String) -> String { folder.path(name) }

  func write(_ name: String, _ text: String) throws { try folder.write(name, text) }

  /// Runs the command in the folder, where it finds `gateway.yaml` by itself.
  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> CommandResult {
    try CommandResult.run([Built.command] + arguments, environment: environment, folder: folder.path)
  }

  /// Runs a line of a shell in the folder, in which `$0` is the command.
  func shell(_ line: String, environment: [String: String] = [:]) throws -> CommandResult {
    try CommandResult.run(["/bin/sh", "-c", line, Built.command], environment: environment, folder: folder.path)
  }
}

extension CommandResult {
  /// The lines on standard error.
  var complaints: [Substring] { standardError.split(separator: "\n") }
}
