import Glibc

/// Makes sure of the database's folder and file before SQLite opens it.
enum SQLiteFile {
  /// Creates the folder (0700) and the file (0600) where they are missing. SQLite gives its log the file's mode.
  static func prepare(_ path: String) throws(StoreError) {
    var folder = path.startIndex
    while let slash = path[folder...].dropFirst().firstIndex(of: "/") {
      if unsafe mkdir(String(path[..<slash]), 0o700) != 0 && errno != EEXIST {
        throw failure("can't create the folder \(path[..<slash])")
      }
      folder = slash
    }
    // No descriptor: closing one ends every lock that this process holds on the file (fcntl(2)), those of open connections
    // too. Another process would then take itself for the last, and delete the log that commits here still go to.
    guard unsafe mknod(path, S_IFREG | 0o600, 0) == 0 || errno == EEXIST else {
      throw failure("can't create \(path)")
    }
    guard unsafe access(path, R_OK | W_OK) == 0 else { throw failure("can't open \(path)") }
  }

  /// Whether there is a file.
  ///
  /// - Throws: where that can't be told.
  static func exists(_ path: String) throws(StoreError) -> Bool {
    if unsafe access(path, F_OK) == 0 { return true }
    guard errno == ENOENT else { throw failure("can't open \(path)") }
    return false
  }

  private static func failure(_ what: String) -> StoreError {
    .unavailable("\(what): \(unsafe String(cString: strerror(errno)))")
  }
}
