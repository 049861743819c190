/// A group of servers that serve one part of an app alike.
package final class Backend: Sendable {
  package let name: String
  package let servers: [UpstreamServer]
  package let timeouts: BackendTimeouts
  /// How often a request may be sent again on a fresh connection.
  package let retries: Int

  /// - Parameter servers: at least one.
  package init(name: String, servers: [UpstreamServer], timeouts: BackendTimeouts, retries: Int) {
    precondition(!servers.isEmpty)
    self.name = name
    self.servers = servers
    self.timeouts = timeouts
    self.retries = retries
  }
}

/// Waits of a backend, in milliseconds.
package struct BackendTimeouts: Sendable, Equatable {
  /// Until a connection stands.
  package var connect: UInt64 = 2_000
  /// Until the first byte of the answer.
  package var response: UInt64 = 30_000
  /// Without a byte moving while a body is on its way.
  package var idle: UInt64 = 60_000

  package init() {}
}
