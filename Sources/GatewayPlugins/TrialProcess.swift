import CLinux
import GatewayBase
import GatewayIO
import Glibc

/// The parent's side of one trial load: a child process, watched by a descriptor.
final class TrialProcess {
  private let identifier: pid_t
  private let results: Int32
  /// Becomes readable when the process has ended.
  let descriptor: Int32

  /// Starts the trial load of a library.
  init(path: String, name: String, version: String, host: PluginHost) throws(PluginFailure) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(bitPattern: SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw Self.notStarted(SystemError(call: "socketpair", number: errno))
    }
    defer { close(ends[1]) }
    let child: Int32
    do throws(SystemError) {
      child = try Self.spawn(
        host.executable, ["speed-gateway", PluginTrial.command, path, name, version], answersTo: ends[1]
      ).start()
    } catch {
      close(ends[0])
      throw Self.notStarted(error)
    }
    let watch = clinux_pidfd_open(child)
    guard watch >= 0 else {
      let error = SystemError(call: "pidfd_open", number: errno)
      close(ends[0])
      Self.end(child)
      throw Self.notStarted(error)
    }
    identifier = child
    results = ends[0]
    descriptor = watch
  }

  deinit {
    close(descriptor)
    close(results)
  }

  /// Ends the process and everything that it started. Called once, with its time over.
  func kill() { Self.end(identifier) }

  /// How the load went. Called once, when the process has ended.
  func outcome() -> PluginFailure? {
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    var bytes = [UInt8](repeating: 0, count: Limits.pluginTrialReason + 1)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe recv(results, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
    let answer = bytes.prefix(max(0, count))
    switch answer.first {
    case PluginTrial.Answer.loaded where status == 0: return nil
    case PluginTrial.Answer.failed: return PluginFailure(String(decoding: answer.dropFirst(), as: UTF8.self))
    default:
      return PluginFailure("the library ended the process that tried to load it: \(ProcessEnd.text(ofStatus: status))")
    }
  }

  /// A process group of its own with default signals, without input and without output besides the answer. Of the
  /// environment it has the loader's search path alone: no secret of the gateway's, and no crash report by Swift's
  /// backtracer, which takes seconds.
  private static func spawn(_ executable: String, _ arguments: [String], answersTo results: Int32) -> Spawn {
    var environment = ["SWIFT_BACKTRACE": "enable=no"]
    environment["LD_LIBRARY_PATH"] = Environment.variables["LD_LIBRARY_PATH"]
    var spawn = Spawn(
      arguments, program: executable, environment: environment,
      streams: [Int32?](repeating: nil, count: Int(PluginTrial.descriptor)) + [results])
    spawn.leadsGroup = true
    return spawn
  }

  private static func notStarted(_ error: SystemError) -> PluginFailure {
    PluginFailure("the trial load could not be started: \(error)")
  }

  private static func end(_ process: pid_t) {
    // The negative id stands for the process group, of which the child is the leader.
    _ = Glibc.kill(-process, SIGKILL)
    while waitpid(process, nil, 0) < 0 && errno == EINTR {}
  }
}
