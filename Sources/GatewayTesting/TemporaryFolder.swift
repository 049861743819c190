import FoundationEssentials
import Glibc

/// A folder that is removed with its last reference.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    var template = Array("/tmp/speed-test-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template).map { unsafe String(cString: $0) }
    guard let made else { throw TestFailure("no temporary folder could be made: errno \(errno)") }
    path = made
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The absolute path of something inside.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, and makes the folders on the way to it.
  package func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
    try write(name, Array(text.utf8), mode: mode)
  }

  package func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o644) throws {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/\(part)"
      unsafe mkdir(folder, 0o755)
    }
    try FileBytes.write(bytes, to: path(name), mode: mode)
  }

  /// Makes an empty folder inside.
  package func makeFolder(_ name: String) throws {
    guard unsafe mkdir(path(name), 0o755) == 0 else { throw TestFailure("can't make folder \(name): errno \(errno)") }
  }

  package func read(_ name: String) throws -> String {
    String(decoding: try FileBytes.read(path(name)), as: UTF8.self)
  }
}

/// Whole files.
package enum FileBytes {
  package static func read(_ path: String) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TestFailure("can't open \(path): errno \(errno)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while true {
      let piece = Descriptor.read(descriptor, atMost: 65_536)
      guard let piece else { throw TestFailure("can't read \(path): errno \(errno)") }
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }

  package static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw TestFailure("can't write \(path): errno \(errno)") }
    defer { close(descriptor) }
    guard Descriptor.writeAll(descriptor, bytes) else { throw TestFailure("can't write \(path): errno \(errno)") }
  }
}

/// Reads and writes of descriptors, interrupted calls repeated.
enum Descriptor {
  /// The next bytes; empty at the end, nil on an error.
  static func read(_ descriptor: Int32, atMost count: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    while true {
      let got = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if got >= 0 { return Array(buffer.prefix(got)) }
      if errno != EINTR { return nil }
    }
  }

  static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let put = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if put >= 0 { rest = rest.dropFirst(put) } else if errno != EINTR { return false }
    }
    return true
  }
}
