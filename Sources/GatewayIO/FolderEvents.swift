import CLinux
import GatewayBase
import Glibc

/// Tells of changes in folders as they happen (inotify(7)), to the one thread that waits for them.
///
/// It tells that something may have changed, never what a file is now: whoever hears of it must look.
///
/// `@unchecked Sendable`: both descriptors live as long as the object, and the kernel serialises calls on them.
@safe package final class FolderEvents: @unchecked Sendable {
  /// A folder that is watched. A folder has one, whatever paths lead to it.
  package struct Watch: Hashable, Sendable { fileprivate let number: Int32 }

  package enum Event: Sendable, Equatable {
    /// A name of the folder appeared, changed, or went.
    case name(Watch, String)
    /// The folder itself was moved or removed, or what may be looked at of it changed.
    case folder(Watch)
    /// The watch has ended with its folder.
    case ended(Watch)
    /// So much changed at once that some of it is not told.
    case overflow
  }

  private let inotify: Int32
  private let wakeUp: Int32

  /// Where the user has no more inotify instances, it tells of nothing, and can be waited for all the same.
  ///
  /// - Throws: `SystemError` where the kernel gives no more descriptors.
  package init() throws(SystemError) {
    wakeUp = clinux_eventfd()
    guard wakeUp >= 0 else { throw SystemError(call: "eventfd", number: errno) }
    inotify = clinux_inotify()
  }

  deinit {
    if inotify >= 0 { close(inotify) }
    close(wakeUp)
  }

  /// Watches a folder; nil where it is none, or where the system allows no more watches.
  package func watch(_ folder: String) -> Watch? {
    let number = unsafe clinux_watch_folder(inotify, folder)
    return number >= 0 ? Watch(number: number) : nil
  }

  package func end(_ watch: Watch) { inotify_rm_watch(inotify, watch.number) }

  /// Waits until something happens, `wake` is called, or the time is over.
  package func wait(milliseconds: Int) {
    var descriptors = [inotify, wakeUp].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = unsafe poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: milliseconds))
    var count: UInt64 = 0
    _ = unsafe read(wakeUp, &count, 8)
  }

  /// Ends the wait, from any thread.
  package func wake() {
    var one: UInt64 = 1
    _ = unsafe write(wakeUp, &one, 8)
  }

  /// What has happened since the last call.
  package func take() -> [Event] {
    var events: [Event] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(inotify, $0.baseAddress, $0.count) }
      guard count > 0 else { return events }
      Self.parse(buffer, count, into: &events)
    }
  }

  /// Records of `struct inotify_event`: the watch, what happened, a cookie, the length of the name, the name with NULs.
  private static func parse(_ buffer: [UInt8], _ count: Int, into events: inout [Event]) {
    func number(at offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(buffer[offset + $1]) << (8 * UInt32($1)) }
    }
    var offset = 0
    while offset + 16 <= count {
      let watch = Watch(number: Int32(bitPattern: number(at: offset)))
      let (mask, length) = (number(at: offset + 4), Int(number(at: offset + 12)))
      let end = min(count, offset + 16 + length)
      let name = buffer[(offset + 16)..<end].prefix { $0 != 0 }
      offset = end
      if mask & UInt32(IN_Q_OVERFLOW) != 0 {
        events.append(.overflow)
      } else if mask & UInt32(IN_IGNORED) != 0 {
        events.append(.ended(watch))
      } else if name.isEmpty {
        events.append(.folder(watch))
      } else {
        events.append(.name(watch, String(decoding: name, as: UTF8.self)))
      }
    }
  }
}
