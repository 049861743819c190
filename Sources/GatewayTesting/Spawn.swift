import CLinux
import GatewayBase
import GatewayIO
import Glibc

/// posix_spawn(3) behind values.
enum Spawn {
  /// Starts a program that inherits only the three standard descriptors.
  ///
  /// - Parameter input: its standard input; nil is an empty one.
  static func start(
    _ arguments: [String], environment: [String: String], folder: String, input: Int32?, output: Int32, error: Int32
  ) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let input {
      unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO)
    // A socket of another test, inherited by chance, would never be seen to close.
    unsafe clinux_spawn_isolated(&actions, folder)

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    var identifier = pid_t()
    let settings = environment.map { "\($0.key)=\($0.value)" }
    let result = unsafe withCStrings(arguments) { arguments in
      unsafe withCStrings(settings) { settings in
        unsafe posix_spawnp(&identifier, arguments[0]!, &actions, &attributes, arguments, settings)
      }
    }
    guard result == 0 else { throw TestFailure("can't start \(arguments.first ?? "nothing"): errno \(result)") }
    return identifier
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) }
  }
}

/// pipe(2), both ends closed with its last reference.
final class Pipe: Sendable {
  let readEnd: Int32
  let writeEnd: Int32
  private let writeIsOpen = Locked(true)

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw TestFailure("no pipe: errno \(errno)") }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    closeWriteEnd()
    close(readEnd)
  }

  func closeWriteEnd() {
    writeIsOpen.withLock { isOpen in
      if isOpen { close(writeEnd) }
      isOpen = false
    }
  }
}

/// Kills a process when the test run dies without stopping it, however it dies: a shell waits for a line
/// on a pipe, and the pipe's end without a line means that nobody is left to stop the process.
final class Leash: Sendable {
  private let pipe: Pipe

  init(_ process: pid_t, litter: String?) throws {
    pipe = try Pipe()
    let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let shell = try Spawn.start(
      ["/bin/sh", "-c", "read line || { kill -9 $0; rm -rf $1; }", String(process), litter ?? "/nonexistent"],
      environment: [:], folder: "/", input: pipe.readEnd, output: null, error: null)
    Thread.start(name: "test-leash") { _ = waitpid(shell, nil, 0) }
  }

  /// Called once, while the process is not yet collected and its id can't be another's.
  func release() {
    _ = Descriptor.writeAll(pipe.writeEnd, [UInt8(ascii: "\n")])
    pipe.closeWriteEnd()
  }
}

/// What processes of tests inherit.
package enum ProcessEnvironment {
  /// The search path and the home folder; never a setting of the gateway.
  package static var inherited: [String: String] {
    ["PATH", "HOME", "LANG", "LD_LIBRARY_PATH"].reduce(into: [:]) { $0[$1] = value($1) }
  }

  /// A variable of the test run itself.
  package static func value(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}
