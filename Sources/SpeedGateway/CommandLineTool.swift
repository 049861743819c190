import GatewayIO

/// The executable `speed-gateway`: reads the command line, runs the command, and tells how it went.
struct CommandLineTool {
  let environment: [String: String]

  /// - Parameter arguments: without the executable's name.
  /// - Returns: the exit code.
  func run(_ arguments: [String]) async -> Int32 {
    var reader = CommandLineReader(arguments, root: .root, environment: environment)
    do {
      switch try reader.read() {
      case .help: try StandardStream.output.write(HelpText(command: reader.command, path: reader.path).text)
      case .version: try StandardStream.output.write("speed-gateway \(Release.version)\n")
      case .run(let action, let invocation): return try await action(invocation)
      }
      return 0
    } catch let error as UsageError {
      tell(error.line(path: reader.path))
      return UsageError.exitCode
    } catch {
      tell("\(reader.path.joined(separator: " ")): \(error)")
      return 1
    }
  }

  /// Nobody is left to hear it where standard error is closed too.
  private func tell(_ line: String) { try? StandardStream.error.write(line + "\n") }
}

/// Why a command did not do what it was asked: one line on standard error, and exit code 1.
struct CommandFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
