import Glibc

/// What the kernel says of this process now.
package struct ProcessStatus: Sendable {
  package let residentBytes: UInt64
  package let openDescriptors: UInt64
  package let descriptorLimit: UInt64
  /// Processor time of all threads, user and system.
  package let processorMicroseconds: UInt64

  /// Reads it: some system calls, for whoever asks now and then.
  package init() {
    residentBytes = Self.residentPages * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
    openDescriptors = Self.entries(of: "/proc/self/fd")
    var limit = rlimit()
    _ = unsafe getrlimit(__rlimit_resource_t(bitPattern: RLIMIT_NOFILE.rawValue), &limit)
    descriptorLimit = UInt64(limit.rlim_cur)
    var usage = rusage()
    _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    processorMicroseconds = Self.microseconds(usage.ru_utime) + Self.microseconds(usage.ru_stime)
  }

  private static func microseconds(_ time: timeval) -> UInt64 {
    UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(max(0, time.tv_usec))
  }

  /// The second number of `/proc/self/statm` (proc_pid_statm(5)).
  private static var residentPages: UInt64 {
    let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
    let fields = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
    return fields.dropFirst().first.flatMap { UInt64($0) } ?? 0
  }

  private static func entries(of path: String) -> UInt64 {
    guard let folder = unsafe opendir(path) else { return 0 }
    defer { unsafe closedir(folder) }
    var count: UInt64 = 0
    while unsafe readdir(folder) != nil { count += 1 }
    // `.`, `..`, and the descriptor that reads the folder.
    return count - min(count, 3)
  }
}
