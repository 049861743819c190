import Glibc

/// What tells that a file or folder has changed, without reading it: which one a path leads to, its size and its times.
///
/// One number made of all of that: ten thousand are kept, and two that differ have the same one by chance in 2^64.
package struct FileStamp: Sendable, Equatable {
  private let number: UInt64

  /// Differs from those of all files.
  package static let none = FileStamp(number: 2)

  private init(number: UInt64) { self.number = number }

  /// The stamp of what `path` leads to; of a path that leads nowhere, one that equals all such.
  package init(path: String) {
    var status = Glibc.stat()
    if unsafe stat(path, &status) == 0 { self.init(status) } else { self.init(number: 0) }
  }

  init(_ status: Glibc.stat) {
    var mixed: UInt64 = 0x9E37_79B9_7F4A_7C15
    for part in [
      UInt64(status.st_dev), UInt64(status.st_ino), UInt64(bitPattern: Int64(status.st_size)),
      Self.nanoseconds(status.st_mtim), Self.nanoseconds(status.st_ctim),
    ] {
      // The finalizer of MurmurHash3: each bit of a part changes half of the result's.
      mixed ^= part
      mixed = (mixed ^ mixed >> 33) &* 0xFF51_AFD7_ED55_8CCD
      mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
      mixed ^= mixed >> 33
    }
    self.init(number: mixed | 1)
  }

  private static func nanoseconds(_ time: timespec) -> UInt64 {
    UInt64(bitPattern: Int64(time.tv_sec)) &* 1_000_000_000 &+ UInt64(bitPattern: Int64(time.tv_nsec))
  }
}
