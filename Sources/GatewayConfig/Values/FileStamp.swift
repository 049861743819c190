import Glibc

/// What tells that a file has changed, without reading it: which file a path leads to, its size and its times.
package struct FileStamp: Sendable, Equatable {
  private let numbers: [Int64]

  /// The stamp of what `path` leads to; of a path that leads nowhere, one that equals all such.
  package init(path: String) {
    var status = Glibc.stat()
    guard unsafe stat(path, &status) == 0 else {
      numbers = []
      return
    }
    numbers = [
      Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino), Int64(status.st_size),
      Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec), Int64(status.st_ctim.tv_sec),
      Int64(status.st_ctim.tv_nsec),
    ]
  }
}
