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
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("can't open \(path)") }
    close(descriptor)
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
