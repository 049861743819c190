/// Why a plugin can't be used: one line for the operator.
package struct PluginFailure: Error, Sendable, Equatable {
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
