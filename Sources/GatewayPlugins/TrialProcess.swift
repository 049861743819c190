import CLinux
import GatewayBase
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
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Self.notStarted(errno) }
    defer { close(ends[1]) }
    let (child, result) = Self.spawn(
      host.executable, ["speed-gateway", PluginTrial.command, path, name, version], answersTo: ends[1])
    guard result == 0 else {
      close(ends[0])
      throw Self.notStarted(result)
    }
    let watch = clinux_pidfd_open(child)
    guard watch >= 0 else {
      let error = errno
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
    default: return PluginFailure("the library ended the process that tried to load it: \(Self.text(ofStatus: status))")
    }
  }

  private static func notStarted(_ error: Int32) -> PluginFailure {
    PluginFailure("the trial load could not be started: \(errorText(error))")
  }

  private static func end(_ process: pid_t) {
    // The negative id stands for the process group, of which the child is the leader.
    _ = Glibc.kill(-process, SIGKILL)
    while waitpid(process, nil, 0) < 0 && errno == EINTR {}
  }

  private static func text(ofStatus status: Int32) -> String {
    let signal = status & 0x7F
    guard signal != 0 else { return "exit status \(status >> 8 & 0xFF)" }
    let names: [Int32: String] = [
      SIGABRT: "SIGABRT", SIGALRM: "SIGALRM", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGILL: "SIGILL",
      SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV", SIGTRAP: "SIGTRAP",
    ]
    return names[signal] ?? "signal \(signal)"
  }
}

extension TrialProcess {
  /// posix_spawn(3) of a process group of its own, with default signals, no input and no output besides the answer.
  ///
  /// - Returns: the child and 0, or an error number.
  private static func spawn(
    _ executable: String, _ arguments: [String], answersTo results: Int32
  ) -> (child: pid_t, result: Int32) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, results, PluginTrial.descriptor)

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

    var child = pid_t()
    let result = unsafe withCStrings(arguments) { arguments in
      unsafe withCStrings(environment) { environment in
        unsafe posix_spawn(&child, executable, &actions, &attributes, arguments, environment)
      }
    }
    return (child, result)
  }

  /// The loader's search path alone: no secret of the gateway's environment, and no crash report by Swift's
  /// backtracer, which takes seconds.
  private static var environment: [String] {
    let searchPath = unsafe getenv("LD_LIBRARY_PATH").map { unsafe ["LD_LIBRARY_PATH=" + String(cString: $0)] }
    return ["SWIFT_BACKTRACE=enable=no"] + (searchPath ?? [])
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) }
  }
}
