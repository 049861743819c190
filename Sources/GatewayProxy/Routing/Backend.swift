/// A group of servers that serve one part of an app alike.
package final class Backend: Sendable {
  /// How a server is chosen.
  package enum Policy: Sendable {
    case roundRobin
    /// Of two at random the one with fewer requests under way: nearly as good as the least of all, and without loops
    /// that all run to the same one.
    case leastRequests
  }

  /// The request by which the gateway asks whether a server is well. Times in milliseconds.
  package struct Check: Sendable, Equatable {
    package let path: String
    package let interval: UInt64
    package let timeout: UInt64

    package init(path: String, interval: UInt64, timeout: UInt64) {
      self.path = path
      self.interval = interval
      self.timeout = timeout
    }
  }

  package let name: String
  /// Its part of a line in the access log.
  let logged: [UInt8]
  package let servers: [UpstreamServer]
  /// Whether its servers are spoken to in HTTP/2, which frames bodies itself.
  let speaksHTTP2: Bool
  package let timeouts: BackendTimeouts
  /// How often a request may be sent again on a fresh connection.
  package let retries: Int
  package let policy: Policy
  package let rules: HealthRules
  package let check: Check?
  /// Requests under way at once: 503 beyond.
  package let maxConcurrent: Int
  package let load: BackendLoad

  /// - Parameters:
  ///   - servers: at least one.
  ///   - load: what is under way, also through earlier versions of the backend.
  package init(
    name: String, servers: [UpstreamServer], timeouts: BackendTimeouts, retries: Int, policy: Policy = .roundRobin,
    rules: HealthRules = HealthRules(), check: Check? = nil, maxConcurrent: Int = .max,
    load: BackendLoad = BackendLoad(), texts: SharedTexts = SharedTexts()
  ) {
    precondition(!servers.isEmpty)
    self.name = name
    logged = texts.backend(name)
    self.servers = servers
    speaksHTTP2 = servers[0].place.speaksHTTP2
    self.timeouts = timeouts
    self.retries = retries
    self.policy = policy
    self.rules = rules
    self.check = check
    self.maxConcurrent = maxConcurrent
    self.load = load
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
