import CLinux

/// The variables of the process.
package enum Environment {
  /// All of them, as they are now. Of two with one name the first counts, as for getenv(3).
  package static var variables: [String: String] {
    var variables: [String: String] = [:]
    guard var entry = unsafe clinux_environment() else { return variables }
    while let text = unsafe entry.pointee {
      let parts = unsafe String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, variables[String(parts[0])] == nil { variables[String(parts[0])] = String(parts[1]) }
      unsafe entry += 1
    }
    return variables
  }
}
