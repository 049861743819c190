import Glibc

/// How many descriptors the process may have open at once: each connection is one.
package enum DescriptorLimit {
  /// Raises the limit as far as the process may (the soft limit to the hard one, getrlimit(2)).
  ///
  /// - Returns: the limit from now on; where the kernel does not raise it, what it was.
  /// - Throws: where the limit can't be had.
  package static func raise() throws(SystemError) -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(bitPattern: RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0 else { throw SystemError(call: "getrlimit", number: errno) }
    var raised = limit
    raised.rlim_cur = limit.rlim_max
    guard unsafe setrlimit(resource, &raised) == 0 else { return Int(clamping: limit.rlim_cur) }
    return Int(clamping: raised.rlim_cur)
  }
}
