import Glibc

/// The address of a Unix socket: a path, or a name in the abstract namespace that begins with `@` (unix(7)).
struct UnixAddress {
  /// Bytes that the system's form has room for, the final NUL not counted.
  static var limit: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }

  private let text: [UInt8]

  /// Nil where the text is too long, empty or holds a NUL.
  init?(_ text: String) {
    self.text = Array(text.utf8)
    guard !self.text.isEmpty, self.text.count <= Self.limit, !self.text.contains(0) else { return nil }
  }

  func withSystemForm<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var form = sockaddr_un()
    form.sun_family = sa_family_t(AF_UNIX)
    let isAbstract = text.first == UInt8(ascii: "@")
    unsafe withUnsafeMutableBytes(of: &form.sun_path) { path in
      for (index, byte) in text.enumerated() { unsafe path[index] = byte }
      if isAbstract { unsafe path[0] = 0 }
    }
    // An abstract name has no final NUL: its length tells where it ends.
    let length = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + text.count + (isAbstract ? 0 : 1) }
    return unsafe withUnsafePointer(to: &form) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(length ?? MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
