/// A deadline of a record, and where the wheel will look at it next.
package struct Deadline {
  /// In milliseconds of the loop's clock; `.max` for none. The hot path only moves it later.
  package fileprivate(set) var milliseconds: UInt64 = .max
  fileprivate var tick: UInt64 = .max

  package init() {}
}

/// A lazy wheel: each record has an entry at most a turn ahead; when that comes up, the record's deadline is
/// looked at and the entry goes on round. Moving a deadline later costs one store.
///
/// Not shared: only the loop's thread touches it.
@safe package struct TimerWheel: ~Copyable {
  /// Milliseconds of a tick: how late a deadline may be noticed.
  package static var tick: UInt64 { 32 }
  private static var slots: UInt64 { 128 }

  private let entries: UnsafeMutablePointer<[Handle]>
  private let current: UnsafeMutablePointer<UInt64>

  package init(now: UInt64) {
    unsafe entries = .allocate(capacity: Int(Self.slots))
    unsafe entries.initialize(repeating: [], count: Int(Self.slots))
    unsafe current = .allocate(capacity: 1)
    unsafe current.initialize(to: now / Self.tick)
  }

  deinit {
    unsafe entries.deinitialize(count: Int(Self.slots))
    unsafe entries.deallocate()
    unsafe current.deallocate()
  }

  /// Sets the deadline of the record of `handle`, in milliseconds of the loop's clock.
  package func set(_ deadline: inout Deadline, of handle: Handle, to milliseconds: UInt64) {
    deadline.milliseconds = milliseconds
    if milliseconds != .max { enter(&deadline, handle) }
  }

  package func clear(_ deadline: inout Deadline) { deadline.milliseconds = .max }

  /// Looks at the record's deadline when its entry comes up; true where it has passed.
  package func isDue(_ deadline: inout Deadline, of handle: Handle, now: UInt64, tick: UInt64) -> Bool {
    guard deadline.tick == tick else { return false }  // an older entry, replaced by an earlier one
    deadline.tick = .max
    if deadline.milliseconds <= now {
      deadline.milliseconds = .max
      return true
    }
    if deadline.milliseconds != .max { enter(&deadline, handle) }
    return false
  }

  /// Gives each entry that is due for a look to `body`, with the tick to pass to `isDue`.
  package func advance(to now: UInt64, _ body: (Handle, UInt64) -> Void) {
    let target = now / Self.tick
    while unsafe current.pointee < target {
      unsafe current.pointee += 1
      let tick = unsafe current.pointee
      let slot = Int(tick % Self.slots)
      if unsafe entries[slot].isEmpty { continue }
      var due: [Handle] = []
      unsafe swap(&due, &entries[slot])
      for handle in due { body(handle, tick) }
    }
  }

  /// Milliseconds until an entry comes up, at most a turn; -1 where there is none.
  package func millisecondsToNext(now: UInt64) -> Int32 {
    for ahead in 1...Self.slots {
      let tick = unsafe current.pointee + ahead
      if unsafe entries[Int(tick % Self.slots)].isEmpty { continue }
      let due = tick * Self.tick
      return due > now ? Int32(truncatingIfNeeded: due - now) : 0
    }
    return -1
  }

  private func enter(_ deadline: inout Deadline, _ handle: Handle) {
    let earliest = unsafe current.pointee + 1
    let wanted = max(earliest, deadline.milliseconds / Self.tick + 1)
    let tick = min(wanted, earliest + Self.slots - 2)
    guard tick < deadline.tick else { return }
    deadline.tick = tick
    unsafe entries[Int(tick % Self.slots)].append(handle)
  }
}
