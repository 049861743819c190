import CLinux
import GatewayBase
import Glibc

/// A connection between two processes of this machine and of one user, which carries messages and descriptors.
///
/// Blocking. Closed with its last reference, as are the descriptors that it received and nobody has taken.
package final class UnixChannel: Sendable {
  /// Bytes of a message.
  package static var messageLimit: Int { 4096 }
  /// Descriptors beside one message.
  package static var descriptorLimit: Int { Int(CLINUX_DESCRIPTORS) }

  package enum Failure: Error, Sendable {
    /// Nobody listens there.
    case nobody
    /// Whoever is at the other end belongs to another user.
    case stranger
    /// The other end closed the connection, or said nothing in time.
    case silent
    case system(SystemError)
  }

  private let descriptor: Int32

  fileprivate init(adopting descriptor: Int32) { self.descriptor = descriptor }

  deinit { Socket.close(descriptor) }

  /// Connects to whoever listens at a path.
  package static func connect(to path: String) throws(Failure) -> UnixChannel {
    guard let address = UnixAddress(path) else { throw .nobody }
    let descriptor = clinux_unix_socket(Int32(SOCK_SEQPACKET.rawValue))
    guard descriptor >= 0 else { throw .system(SystemError(call: "socket", number: errno)) }
    let channel = UnixChannel(adopting: descriptor)
    guard unsafe address.withSystemForm({ unsafe Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let number = errno
      if number == ENOENT || number == ECONNREFUSED || number == ENOTDIR { throw .nobody }
      throw .system(SystemError(call: "connect", number: number))
    }
    guard channel.isOfSameUser else { throw .stranger }
    return channel
  }

  /// Whether the process at the other end runs as this one's user, or as the one who may do everything anyway.
  var isOfSameUser: Bool {
    var user: uid_t = 0
    return unsafe clinux_peer_user(descriptor, &user) == 0 && (user == geteuid() || user == 0)
  }

  /// Sends a message; copies of the descriptors go along.
  package func send(_ text: String, _ descriptors: [Int32] = []) throws(Failure) {
    let bytes = Array(text.utf8)
    precondition(bytes.count <= Self.messageLimit && descriptors.count <= Self.descriptorLimit)
    let sent = unsafe bytes.withUnsafeBytes { bytes in
      unsafe descriptors.withUnsafeBufferPointer { numbers in
        unsafe clinux_send_descriptors(
          descriptor, bytes.baseAddress, bytes.count, numbers.baseAddress, Int32(numbers.count))
      }
    }
    guard sent == bytes.count else {
      throw errno == EPIPE ? .silent : .system(SystemError(call: "sendmsg", number: errno))
    }
  }

  /// Waits for a message.
  ///
  /// - Returns: its text and its descriptors, which are the caller's to close.
  /// - Throws: `silent` where none comes within the time.
  package func receive(milliseconds: Int) throws(Failure) -> (text: String, descriptors: [Int32]) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let end = MonotonicClock.nanoseconds + UInt64(milliseconds) * 1_000_000
    while true {
      let now = MonotonicClock.nanoseconds
      let ready = unsafe poll(&entry, 1, now >= end ? 0 : Int32(clamping: (end - now) / 1_000_000 + 1))
      if ready > 0 { break }
      guard ready < 0, errno == EINTR else { throw .silent }
    }
    var bytes = [UInt8](repeating: 0, count: Self.messageLimit)
    var descriptors = [Int32](repeating: -1, count: Self.descriptorLimit)
    var held: Int32 = 0
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe descriptors.withUnsafeMutableBufferPointer { numbers in
        unsafe clinux_receive_descriptors(descriptor, bytes.baseAddress, bytes.count, numbers.baseAddress, &held)
      }
    }
    guard count > 0 else { throw .silent }
    return (String(decoding: bytes.prefix(count), as: UTF8.self), Array(descriptors.prefix(Int(held))))
  }
}

/// A path where other processes of the same user may connect. One owner closes it.
package final class UnixListener: Sendable {
  private let descriptor: Int32
  private let path: String
  /// The file's number, by which it is told from one that took its place.
  private let inode: ino_t?
  private let isClosed = Locked(false)

  /// Listens at a path, in the place of whoever left a socket there.
  ///
  /// - Throws: `SystemError` where the path is too long or can't be had.
  package init(path: String) throws(SystemError) {
    // Made aside and put in its place at once: there is no moment without a socket at the path.
    let temporary = "\(path).\(getpid())"
    guard let address = UnixAddress(temporary) else { throw SystemError(call: "bind", number: ENAMETOOLONG) }
    let descriptor = clinux_unix_socket(Int32(SOCK_SEQPACKET.rawValue))
    guard descriptor >= 0 else { throw SystemError(call: "socket", number: errno) }
    unsafe unlink(temporary)
    var failure: SystemError?
    // Nobody can connect before `listen`, so that nobody does before the mode is right.
    if unsafe address.withSystemForm({ unsafe bind(descriptor, $0, $1) }) != 0 {
      failure = SystemError(call: "bind", number: errno)
    } else if unsafe chmod(temporary, 0o600) != 0 || Glibc.listen(descriptor, 4) != 0 {
      failure = SystemError(call: "listen", number: errno)
    } else if unsafe rename(temporary, path) != 0 {
      failure = SystemError(call: "rename", number: errno)
    }
    if let failure {
      unsafe unlink(temporary)
      Socket.close(descriptor)
      throw failure
    }
    self.descriptor = descriptor
    self.path = path
    inode = Self.inode(of: path)
  }

  /// Waits for the next connection of a process of the same user; nil once closed.
  package func accept() -> UnixChannel? {
    while true {
      let connection = clinux_accept_blocking(descriptor)
      if connection < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        // Closed here and not in `close`: only then can no other descriptor have got its number meanwhile.
        Socket.close(descriptor)
        return nil
      }
      let channel = UnixChannel(adopting: connection)
      if channel.isOfSameUser { return channel }
    }
  }

  /// Ends it: `accept`, which must be waited in, returns. The path goes, unless a successor has it by now.
  package func close() {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard isFirst else { return }
    if let inode, Self.inode(of: path) == inode { unsafe unlink(path) }
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  private static func inode(of path: String) -> ino_t? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_ino : nil
  }
}
