import CLinux

/// The processors that this process may run on.
package enum Processors {
  /// How many; at least 1. Follows `sched_setaffinity`, so that a pinned process does not start loops in vain.
  package static var available: Int { max(1, Int(clinux_processors())) }
}
