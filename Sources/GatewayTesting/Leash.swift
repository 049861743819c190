import GatewayBase
import GatewayIO
import Glibc

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
    var spawn = Spawn(
      ["/bin/sh", "-c", "read line || { kill -9 $0; rm -rf $1; }", String(process), litter ?? "/nonexistent"],
      environment: [:], streams: [pipe.readEnd, nil, nil])
    spawn.folder = "/"
    let shell = try spawn.start()
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
