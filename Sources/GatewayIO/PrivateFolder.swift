import GatewayBase
import Glibc

/// A folder of small files that only this process's user may read: private keys.
///
/// Blocking; for start-up, commands and worker threads.
package struct PrivateFolder: Sendable {
  /// What is wrong with the folder or a file in it, in words for the operator. Never holds content.
  package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package init(path: String, reason: String) {
      self.path = path
      self.reason = reason
    }

    package var description: String { "\(path): \(reason)" }

    /// The problem of the system call that just failed.
    static func system(_ path: String) -> Problem {
      Problem(path: path, reason: unsafe String(cString: strerror(errno)))
    }
  }

  package let path: String

  /// Opens the folder, and makes it (mode 0700) with the folders above it where it is absent.
  ///
  /// - Throws: also where others may write to the folder: they could put a key of theirs there.
  package init(path: String) throws(Problem) {
    try Self.make(path)
    try self.init(made: path)
  }

  /// Opens the folder, or returns nil where it is absent.
  ///
  /// - Throws: also where others may write to the folder.
  package init?(existing path: String) throws(Problem) {
    guard unsafe access(path, F_OK) == 0 else {
      guard errno == ENOENT else { throw .system(path) }
      return nil
    }
    try self.init(made: path)
  }

  private init(made path: String) throws(Problem) {
    self.path = path
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw .system(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw Problem(path: path, reason: "is no folder") }
    guard status.st_mode & 0o022 == 0 else {
      throw Problem(path: path, reason: "others may write to this folder; run chmod 700 on it")
    }
  }

  /// Makes the folder (mode 0700) with the folders above it where it is absent. Nothing is asked of one that is there.
  package static func make(_ path: String) throws(Problem) {
    guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { throw .system(path) }
    try make(String(path[..<slash]))
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system(path) }
  }

  private func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of the files, hidden ones apart, in byte order.
  package func names() throws(Problem) -> [String] {
    guard let folder = unsafe opendir(path) else { throw .system(path) }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The bytes of a file.
  ///
  /// - Throws: also where others may read or write it, and where it is larger than `limit`.
  package func read(_ name: String, limit: Int) throws(Problem) -> [UInt8] {
    let path = file(name)
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system(path) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Problem(path: path, reason: "is no file") }
    guard status.st_mode & 0o077 == 0 else {
      throw Problem(path: path, reason: "others may read or change this file; run chmod 600 on it")
    }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw .system(path) }
      if got == 0 { break }
      count += got
    }
    guard count <= limit else { throw Problem(path: path, reason: "is larger than \(limit) bytes") }
    return Array(bytes.prefix(count))
  }

  /// Runs `body` while no other process changes the folder through this function.
  package func exclusively<Result>(_ body: (Changes) throws(Problem) -> Result) throws(Problem) -> Result {
    let lock = file(".lock")
    let descriptor = unsafe open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(lock) }
    defer { close(descriptor) }  // ends the lock
    while flock(descriptor, LOCK_EX) != 0 { guard errno == EINTR else { throw .system(lock) } }
    return try body(Changes(folder: path))
  }
}

extension PrivateFolder {
  /// The right to change the folder, which `exclusively` gives.
  package struct Changes {
    fileprivate let folder: String

    /// Adds a file (mode 0600), or replaces it: after a crash it is there whole or not at all.
    package func put(_ name: String, _ bytes: [UInt8]) throws(Problem) {
      let path = "\(folder)/\(name)"
      let temporary = "\(folder)/.new"
      guard unsafe unlink(temporary) == 0 || errno == ENOENT else { throw .system(temporary) }
      let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .system(temporary) }
      do throws(Problem) {
        try write(bytes, to: descriptor, temporary)
      } catch {
        close(descriptor)
        unsafe unlink(temporary)
        throw error
      }
      close(descriptor)
      guard unsafe rename(temporary, path) == 0 else { throw .system(path) }
      try syncFolder()
    }

    package func remove(_ name: String) throws(Problem) {
      guard unsafe unlink("\(folder)/\(name)") == 0 || errno == ENOENT else { throw .system("\(folder)/\(name)") }
      try syncFolder()
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(Problem) {
      guard WholeWrite.write(bytes, to: descriptor), fsync(descriptor) == 0 else { throw .system(path) }
    }

    /// Makes the entries themselves durable, as `fsync` of a file does not.
    private func syncFolder() throws(Problem) {
      let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .system(folder) }
      defer { close(descriptor) }
      guard fsync(descriptor) == 0 else { throw .system(folder) }
    }
  }
}
