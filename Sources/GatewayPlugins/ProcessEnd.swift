import Glibc

/// How a process has ended, for people.
enum ProcessEnd {
  /// - Parameter status: as waitpid(2) gives it.
  static func text(ofStatus status: Int32) -> String {
    let signal = status & 0x7F
    guard signal != 0 else { return "exit status \(status >> 8 & 0xFF)" }
    let names: [Int32: String] = [
      SIGABRT: "SIGABRT", SIGALRM: "SIGALRM", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGILL: "SIGILL",
      SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV", SIGSYS: "SIGSYS", SIGTRAP: "SIGTRAP",
    ]
    return names[signal] ?? "signal \(signal)"
  }
}
