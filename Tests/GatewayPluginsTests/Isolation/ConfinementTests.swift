import Foundation
import Glibc
import Testing

@testable import GatewayPlugins

@Suite("The walls around an isolated plugin") struct ConfinementTests {
  /// Whether this kernel has Landlock, by a program that asks it.
  private static let hasLandlock: Bool = {
    guard let folder = try? PluginWorkshop().folder else { return false }
    let program = "\(folder).landlock"
    defer { try? FileManager.default.removeItem(atPath: program) }
    let source = "#include <unistd.h>\\nint main(void) { return syscall(444, 0, 0, 1) < 1; }"
    let command = "printf '\(source)' | cc -xc -o '\(program)' - && '\(program)'"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    return (try? process.run()).map { process.waitUntilExit() } != nil && process.terminationStatus == 0
  }()

  /// What comes of attempts, as text of errno.
  private func outcomes(_ attempts: [String]) throws -> [String: String] {
    let child = try ChildFixture()
    return try Dictionary(uniqueKeysWithValues: attempts.map { ($0, try child.subject("attempt \($0)")) })
  }

  private func all(_ attempts: [String], _ number: Int32) -> [String: String] {
    Dictionary(uniqueKeysWithValues: attempts.map { ($0, "\(number)") })
  }

  @Test("its files are closed, and this process's memory and environment with them", .enabled(if: hasLandlock))
  func files() throws {
    let workshop = try PluginWorkshop()
    try workshop.write("secret", to: "var/keys/key.pem")
    let key = "\(workshop.folder)/var/keys/key.pem"
    let us = "/proc/\(getpid())"
    let closed = [
      "read \(key)", "write \(key)", "write \(workshop.folder)/new", "list \(workshop.folder)",
      "list /proc", "list /", "read /etc/passwd", "read /proc/self/root\(key)", "read \(us)/environ",
      "read \(us)/mem", "read \(us)/maps", "read \(us)/root\(key)", "early",
    ]
    #expect(try outcomes(closed) == all(closed, EACCES))
    #expect(try ChildFixture().hello.isConfined)
    #expect(try String(contentsOfFile: key, encoding: .utf8) == "secret")
  }

  @Test("it makes no connections, no processes, and does nothing to other processes")
  func calls() throws {
    let workshop = try PluginWorkshop()
    try workshop.write("kept", to: "file")
    let refused = [
      "connect 80", "unix", "execute /bin/true", "fork", "trace", "memory", "kill", "killGroup", "signalThread", "own",
      "outlive", "share", "file", "namespace", "ring", "mode \(workshop.folder)/file", "remove \(workshop.folder)/file",
    ]
    #expect(try outcomes(refused) == all(refused, EPERM))
  }

  @Test("what it may use can't be raised, and it ends where it uses more")
  func memory() throws {
    let child = try ChildFixture(memory: 96 << 20)
    #expect(try child.subject("attempt raise") == "\(EPERM)")
    try child.begin("leak")
    #expect(["SIGILL", "SIGTRAP", "SIGABRT", "SIGSEGV"].contains(child.end()))
  }

  @Test("it has no environment but its own, and no descriptor but its socket")
  func inheritance() throws {
    let child = try ChildFixture()
    #expect(try (0..<64).filter { try child.subject("attempt descriptor \($0)") == "0" } == [0, 1, 2, 3])
    #expect(try child.subject("attempt variable PATH") == "\(ENOENT)")
    #expect(try child.subject("attempt variable HOME") == "\(ENOENT)")
  }

  @Test("timers and queues work within its walls, though they look at the process's own threads")
  func runtime() throws {
    let child = try ChildFixture()
    #expect(try child.subject("wait 1200") == "wait")
    #expect(try child.subject("queue 40") == "queue")
  }

  @Test("it ends with the thread that started it, whatever its own does then")
  func orphan() throws {
    let workshop = try PluginWorkshop()
    try workshop.add(
      "stuck", c: "#include <unistd.h>\n__attribute__((constructor)) static void f(void) { for (;;) sleep(9); }")
    let library = "\(workshop.folder)/stuck/fixture.so"
    nonisolated(unsafe) var process: PluginProcess?
    let thread = Thread {
      unsafe process = try? PluginProcess(
        library: IsolatedLibrary(path: library, name: "stuck", version: "1.0.0", memory: 256 << 20, timeout: 1000),
        host: PluginWorkshop.host())
      usleep(300_000)
    }
    thread.start()
    while !thread.isFinished { usleep(10_000) }
    let started = try #require(unsafe process)
    var entry = pollfd(fd: started.socket, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&entry, 1, 10_000) == 1)
    #expect(throws: MessageFault.self) { try started.receive() }
    #expect(started.end() == "SIGKILL")
  }
}
