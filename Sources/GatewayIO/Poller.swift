import CLinux
import GatewayBase
import Glibc

/// What the kernel says of a descriptor.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32

  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let readable = Readiness(rawValue: 1)  // EPOLLIN
  package static let writable = Readiness(rawValue: 4)  // EPOLLOUT
  /// Error or both directions closed.
  package static let broken = Readiness(rawValue: 8 | 16)  // EPOLLERR, EPOLLHUP
  /// The peer ended its direction.
  package static let peerEnded = Readiness(rawValue: 0x2000)  // EPOLLRDHUP

  /// Whether any of `other` is set. Unlike `isDisjoint`, it compares numbers and calls nothing.
  package func hasAny(of other: Readiness) -> Bool { rawValue & other.rawValue != 0 }
  package func hasAny(of a: Readiness, _ b: Readiness) -> Bool { rawValue & (a.rawValue | b.rawValue) != 0 }
}

/// Edge-triggered epoll: a descriptor is registered once for everything, and no call is made on a request's path
/// but the wait. An owner reads and writes until the kernel has no more, and remembers what it left.
@safe package final class Poller {
  private let descriptor: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  private static let batch: Int32 = 512

  package init() throws(SystemError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    unsafe events = .allocate(capacity: Int(Self.batch))
    guard descriptor >= 0 else { throw SystemError(call: "epoll_create1", number: errno) }
  }

  deinit {
    Socket.close(descriptor)
    unsafe events.deallocate()
  }

  /// Watches a stream for both directions.
  package func watch(_ descriptor: Int32, as handle: Handle) {
    control(EPOLL_CTL_ADD, descriptor, handle, Self.stream)
  }

  /// Watches an event counter, level-triggered: it is reported as long as something is there.
  package func watchInput(_ descriptor: Int32, as handle: Handle) {
    control(EPOLL_CTL_ADD, descriptor, handle, EPOLLIN.rawValue)
  }

  /// Has what happens on a stream that is watched reported as another record's.
  package func rewatch(_ descriptor: Int32, as handle: Handle) {
    control(EPOLL_CTL_MOD, descriptor, handle, Self.stream)
  }

  /// Watches a listener, level-triggered. Where loops or processes share it, one of them is woken for a connection.
  package func watch(listener descriptor: Int32, as handle: Handle) {
    control(EPOLL_CTL_ADD, descriptor, handle, EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue)
  }

  package func unwatch(_ descriptor: Int32) {
    _ = epoll_ctl(self.descriptor, EPOLL_CTL_DEL, descriptor, nil)
  }

  /// Waits for events, calls `before` once, then `body` with each event.
  package func wait(milliseconds: Int32, before: () -> Void, event body: (Handle, Readiness) -> Void) {
    let count = unsafe epoll_wait(descriptor, events, Self.batch, milliseconds)
    before()
    var index = 0
    while index < Int(count) {
      let event = unsafe events[index]
      unsafe body(Handle(raw: event.data.u64), Readiness(rawValue: event.events))
      index += 1
    }
  }

  /// Both directions, told once for each change.
  private static let stream = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue

  private func control(_ operation: Int32, _ descriptor: Int32, _ handle: Handle, _ interest: UInt32) {
    var event = unsafe epoll_event()
    unsafe event.events = interest
    unsafe event.data.u64 = handle.raw
    _ = unsafe epoll_ctl(self.descriptor, operation, descriptor, &event)
  }
}
