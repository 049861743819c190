import Glibc

/// A program that a command runs for its output.
package enum Subprocess {
  /// Runs a program with this process's environment, nothing on its input and its errors on ours.
  ///
  /// - Parameters:
  ///   - arguments: the program's name, looked for in `PATH`, then what it is given.
  ///   - limit: bytes of its output; more are an error.
  /// - Returns: its output; nil where it can't be run, fails, or writes too much.
  package static func output(_ arguments: [String], limit: Int) -> [UInt8]? {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var child = pid_t()
    let result = unsafe posix_spawnp(&child, arguments[0], &actions, nil, &words, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard result == 0 else { return nil }
    let bytes = readAll(ends[0], limit: limit)
    if bytes == nil { _ = Glibc.kill(child, SIGKILL) }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
    return status == 0 ? bytes : nil
  }

  private static func readAll(_ descriptor: Int32, limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0, bytes.count + count <= limit else { return nil }
      if count == 0 { return bytes }
      bytes += buffer.prefix(count)
    }
  }
}
