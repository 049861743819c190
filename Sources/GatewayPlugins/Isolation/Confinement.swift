import CLinux
import GatewayBase
import GatewayConfig
import Glibc

/// What a plugin's process may do: use its processor time and its memory, and talk through its socket. It may read system
/// libraries, the Swift runtime and its own library, and nothing else; it makes no connections and no processes.
///
/// The walls are the kernel's, so the plugin's code can't take them down: rlimits, Landlock (landlock(7)) and seccomp(2).
enum Confinement {
  /// Folders of the system's libraries, and the table in which the loader looks them up.
  private static let system = ["/usr/lib", "/lib", "/usr/lib64", "/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo"]
  /// Descriptors that it may have open.
  private static let descriptors: rlim_t = 64

  /// Limits what the process may use. What was set can't be raised again.
  ///
  /// - Parameter memory: bytes of data, as `RLIMIT_DATA` of getrlimit(2) counts them.
  static func limit(memory: UInt64) {
    set(RLIMIT_CORE, to: 0)
    set(RLIMIT_NOFILE, to: descriptors)
    set(RLIMIT_DATA, to: rlim_t(memory))
  }

  private static func set(_ resource: __rlimit_resource, to value: rlim_t) {
    var limit = rlimit(rlim_cur: value, rlim_max: value)
    _ = unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
  }

  /// Closes all files but what the library needs, for this thread and for whatever it executes.
  ///
  /// - Returns: false where the kernel can't do it.
  static func confineFiles(to library: String) -> Bool {
    var paths = unsafe readable(library).map { unsafe UnsafePointer(strdup($0)) }
    defer { unsafe paths.forEach { unsafe free(UnsafeMutableRawPointer(mutating: $0)) } }
    let version = unsafe paths.withUnsafeMutableBufferPointer { buffer in
      unsafe clinux_confine_files(buffer.baseAddress, Int32(buffer.count))
    }
    return version > 0
  }

  /// Executes the program of this process anew, with the same descriptors.
  static func executeAnew(_ name: String, _ environment: [String: String]) {
    var arguments = unsafe [strdup(name), nil]
    var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
    _ = unsafe arguments.withUnsafeMutableBufferPointer { arguments in
      unsafe variables.withUnsafeMutableBufferPointer { variables in
        unsafe execve("/proc/self/exe", arguments.baseAddress!, variables.baseAddress!)
      }
    }
  }

  /// Has the process end with the gateway's, whatever its own threads do then.
  ///
  /// - Parameter descriptor: the socket, which shows whether the gateway has gone already.
  static func endWithGateway(_ descriptor: Int32) {
    clinux_end_with_parent()
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    if unsafe poll(&entry, 1, 0) != 0 { _exit(0) }
  }

  /// Closes the ways out of the process, for all of its threads, and what a crash would leave of its memory.
  ///
  /// - Returns: false where the kernel can't do it.
  static func confineCalls() -> Bool {
    clinux_forbid_images()
    return clinux_confine_calls() == 0
  }

  /// The library, what stands beside it, what this process is made of, and what that may load later. The program by the
  /// process, as its file may have been replaced.
  private static func readable(_ library: String) -> [String] {
    let mapped = mappedFiles()
    let runtime = mapped.filter { $0.contains("/libswiftCore.so") }.compactMap(folder)
    let siblings = folder(of: library).map { folder in
      ((try? FileSystem.entries(in: folder)) ?? []).map(\.name).filter { $0.contains(".so") }.prefix(Limits.plugins)
        .map { "\(folder)/\($0)" }
    }
    return system + ["/proc/self/exe"] + mapped + runtime + [library] + (siblings ?? [])
  }

  private static func folder(of path: String) -> String? { path.lastIndex(of: "/").map { String(path[..<$0]) } }

  /// The files of which this process is made: proc_pid_maps(5).
  private static func mappedFiles() -> [String] {
    var paths: Set<String> = []
    for line in String(decoding: contents(ofProcess: "maps"), as: UTF8.self).split(separator: "\n") {
      if let slash = line.firstIndex(of: "/") { paths.insert(String(line[slash...])) }
    }
    return paths.sorted()
  }

  /// A file of `/proc/self`, which tells no size.
  private static func contents(ofProcess name: String) -> [UInt8] {
    let descriptor = unsafe open("/proc/self/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var (contents, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      let count = unsafe part.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return contents }
      contents += part.prefix(count)
    }
  }
}
