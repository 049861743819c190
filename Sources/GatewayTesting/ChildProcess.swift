import GatewayBase
import GatewayIO
import Glibc

/// A process that a test started. Its output is captured, and it never outlives the test run.
package final class ChildProcess: Sendable {
  /// How a process ended.
  package enum End: Sendable, Equatable {
    case exited(Int32)
    case killed(Int32)
  }

  package let identifier: pid_t
  private let output: ProcessOutput
  private let end = Monitor<End?>(nil)
  private let leash: Leash

  /// Starts `arguments[0]` with `environment` alone.
  ///
  /// - Parameters:
  ///   - folder: the working folder.
  ///   - litter: a folder that is removed should the test run die while the process runs.
  package init(_ arguments: [String], environment: [String: String], folder: String, litter: String? = nil) throws {
    let standardOutput = try Pipe()
    let standardError = try Pipe()
    var spawn = Spawn(
      arguments, environment: environment, streams: [nil, standardOutput.writeEnd, standardError.writeEnd])
    // A socket of another test, inherited by chance, would never be seen to close.
    spawn.folder = folder
    do throws(SystemError) {
      identifier = try spawn.start()
    } catch {
      throw TestFailure("can't start \(arguments.first ?? "nothing"): \(error)")
    }
    standardOutput.closeWriteEnd()
    standardError.closeWriteEnd()
    leash = try Leash(identifier, litter: litter)
    output = ProcessOutput(standardOutput, standardError)
    reap()
  }

  deinit {
    kill()
    _ = waitForEnd()
  }

  private func reap() {
    Thread.start(name: "test-reaper") { [identifier, end, leash] in
      var information = unsafe siginfo_t()
      while unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      // Collected under the monitor's lock: a signal sent under it can't reach a stranger with the same id.
      end.change { end in
        leash.release()
        var status: Int32 = 0
        _ = unsafe waitpid(identifier, &status, 0)
        end = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
      }
    }
  }

  package var isRunning: Bool { end.current == nil }

  /// Sends a signal, if the process still runs.
  package func signal(_ number: Int32) {
    end.change { end in
      if end == nil { Glibc.kill(identifier, number) }
    }
  }

  package func kill() { signal(SIGKILL) }

  /// How the process ended, nil when it did not in time.
  package func waitForEnd(seconds: Double = Patience.seconds) -> End? { end.wait(seconds: seconds) { $0 } }

  /// What it has written to standard output so far.
  package var standardOutput: String { output.text(.output) }

  /// What it has written to standard error so far.
  package var standardError: String { output.text(.error) }

  /// Waits until everything that it wrote before its end has been read.
  func waitForOutput() { output.waitForEnd() }

  /// Waits for a line, on either stream, in which `find` finds something, among all lines since the start.
  package func waitForLine<Found>(seconds: Double = Patience.seconds, _ find: (String) -> Found?) -> Found? {
    output.waitForLine(seconds: seconds, find)
  }

  /// All lines so far, in the order in which they were read.
  package var lines: [String] { output.lines }

  /// Resident memory in bytes.
  package var residentBytes: Int {
    let fields = (try? FileBytes.read("/proc/\(identifier)/statm")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let pages = fields.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Descriptors that the process holds open.
  package var openDescriptors: Int {
    guard let folder = unsafe opendir("/proc/\(identifier)/fd") else { return 0 }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    return max(0, count - 2)
  }
}

/// Runs a command to its end.
package struct CommandResult: Sendable {
  package let end: ChildProcess.End?
  package let standardOutput: String
  package let standardError: String

  /// The exit code, -1 where the command was killed or did not end.
  package var exitCode: Int32 { if case .exited(let code) = end { code } else { -1 } }

  package static func run(
    _ arguments: [String], environment: [String: String] = [:], folder: String = "/", seconds: Double = 60
  ) throws -> CommandResult {
    let process = try ChildProcess(
      arguments, environment: ProcessEnvironment.inherited.merging(environment) { $1 }, folder: folder)
    let end = process.waitForEnd(seconds: seconds)
    process.kill()
    process.waitForOutput()
    return CommandResult(
      end: end, standardOutput: process.standardOutput, standardError: process.standardError)
  }
}
