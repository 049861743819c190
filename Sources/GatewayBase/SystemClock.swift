import Glibc

/// The machine's wall clock.
package struct SystemClock: WallClock {
  package init() {}

  package var now: UnixTime {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return UnixTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}

/// Time since boot in nanoseconds: for deadlines and durations, untouched by changes of the wall clock.
package enum MonotonicClock {
  package static var nanoseconds: UInt64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
