import CLinux
import Glibc

/// A program that is started in a process of its own: posix_spawn(3) behind values.
package struct Spawn {
  /// The working folder, and with it a process that inherits `streams` alone; nil for ours, and all that is not
  /// close-on-exec.
  package var folder: String?
  /// Whether it leads a process group of its own, in which every signal does what it does by default.
  package var leadsGroup = false
  private let program: String
  private let arguments: [String]
  private let environment: [String: String]
  private let streams: [Int32?]

  /// - Parameters:
  ///   - arguments: the name by which it is called, then what it is given.
  ///   - program: its path, or a name that is looked for in `PATH`; nil for the first argument.
  ///   - environment: all of its variables.
  ///   - streams: descriptors of ours that become its own, from 0 on; nil is an empty input and an output to nowhere.
  package init(_ arguments: [String], program: String? = nil, environment: [String: String], streams: [Int32?]) {
    precondition(!arguments.isEmpty)
    self.program = program ?? arguments[0]
    self.arguments = arguments
    self.environment = environment
    self.streams = streams
  }

  /// Starts it, with no signal blocked.
  ///
  /// - Returns: the process, which the caller collects with waitpid(2).
  package func start() throws(SystemError) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, source) in streams.enumerated() {
      if let source {
        unsafe posix_spawn_file_actions_adddup2(&actions, source, Int32(number))
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
      }
    }
    if let folder { unsafe clinux_spawn_isolated(&actions, folder, Int32(streams.count)) }

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    var flags = POSIX_SPAWN_SETSIGMASK
    if leadsGroup {
      unsafe sigfillset(&signals)
      unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
      unsafe posix_spawnattr_setpgroup(&attributes, 0)
      flags |= POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    }
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    var child = pid_t()
    let result = unsafe Self.withCStrings(arguments) { arguments in
      unsafe Self.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
        unsafe posix_spawnp(&child, program, &actions, &attributes, arguments, environment)
      }
    }
    guard result == 0 else { throw SystemError(call: "posix_spawn", number: result) }
    return child
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) }
  }
}
