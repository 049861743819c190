import Glibc

/// The few calls that reading configuration takes: bounded reads of regular files, and the names in a folder.
package enum FileSystem {
  /// Why a file or folder can't be read, in words.
  package struct Fault: Error, Sendable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
  }

  /// The bytes of a regular file; one more than `limit` where it is longer.
  ///
  /// Anything but a regular file is refused before a byte is read: a pipe would block for ever.
  package static func read(_ path: String, limit: Int) throws(Fault) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw lastFault }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw lastFault }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Fault(reason: "it is not a regular file") }
    let capacity = min(limit, max(0, Int(status.st_size))) + 1
    var failure: Fault?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      while count < capacity {
        let result = unsafe Glibc.read(descriptor, buffer.baseAddress! + count, capacity - count)
        if result < 0 && errno == EINTR { continue }
        if result < 0 { failure = lastFault }
        if result <= 0 { break }
        count += result
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// What a path leads to, links followed.
  enum Kind { case file, folder, absent, other }

  /// - Throws: where that can't be told, so that it must not be taken for absent.
  static func kind(of path: String) throws(Fault) -> Kind {
    var status = stat()
    if unsafe stat(path, &status) == 0 { return kind(status) }
    guard errno == ENOENT || errno == ENOTDIR else { throw lastFault }
    return .absent
  }

  /// Whether a path leads to a regular file.
  package static func isFile(_ path: String) throws(Fault) -> Bool { try kind(of: path) == .file }

  /// A number for the folder itself, whatever path led to it: finds loops of links.
  static func identity(of path: String) throws(Fault) -> [UInt64] {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw lastFault }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }

  /// The names in a folder, sorted by their bytes: all of them, or an error.
  static func names(in folder: String) throws(Fault) -> [String] {
    guard let stream = unsafe opendir(folder) else { throw lastFault }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      // The end of the folder and an error look alike but for `errno`.
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw lastFault }
        break
      }
      let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func kind(_ status: stat) -> Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    default: .other
    }
  }

  private static var lastFault: Fault {
    switch errno {
    case ENOENT: Fault(reason: "it is not there")
    case EACCES, EPERM: Fault(reason: "the gateway may not read it")
    case EISDIR: Fault(reason: "it is a folder")
    case let code: Fault(reason: unsafe String(cString: strerror(code)))
    }
  }
}
