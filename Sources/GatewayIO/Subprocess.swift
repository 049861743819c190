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
    let started = try? Spawn(
      arguments, environment: Environment.variables, streams: [nil, ends[1], STDERR_FILENO]
    ).start()
    close(ends[1])
    defer { close(ends[0]) }
    guard let child = started else { return nil }
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
