/// A group of servers that answer alike.
package struct BackendConfiguration: Sendable, Equatable {
  package enum Policy: String, Sendable, CaseIterable, CustomStringConvertible {
    case roundRobin, leastRequests

    package var description: String { rawValue }
  }

  package struct Timeouts: Sendable, Equatable {
    /// Until a connection stands.
    package var connect = Milliseconds.seconds(2)
    /// From the request's end to the head of the answer.
    package var response = Milliseconds.seconds(30)
    /// The longest silence while a body passes, either way.
    package var idle = Milliseconds.seconds(60)
  }

  package struct Health: Sendable, Equatable {
    package let path: String
    package let interval: Milliseconds
  }

  package let name: String
  /// Never empty.
  package let servers: [BackendServer]
  package let policy: Policy
  package let health: Health?
  package let timeouts: Timeouts
  /// How often a request that may be sent twice is sent again; 0 or 1.
  package let retries: Int
}

/// What happens to requests for a path.
package struct RouteConfiguration: Sendable, Equatable {
  package enum Auth: String, Sendable, CaseIterable, CustomStringConvertible {
    case required, none

    package var description: String { rawValue }
  }

  /// Canonical; a prefix where it ends in a slash.
  package let path: String
  /// The index of its backend in the tenant's `backends`.
  package internal(set) var backend: Int
  package let auth: Auth
  /// Nil: any.
  package let methods: [String]?
  package let maxBody: ByteSize
  /// Whether the backend gets the bearer token.
  package let forwardToken: Bool
  /// The price of a request.
  package let units: Int64
  package let rateLimit: RateLimit?
}

/// At most so many requests in so long a time.
package struct RateLimit: Sendable, Equatable {
  package enum Subject: String, Sendable, CaseIterable, CustomStringConvertible {
    case user, app, address

    package var description: String { rawValue }
  }

  package let requests: Int64
  package let per: Milliseconds
  /// Whose requests are counted together.
  package let by: Subject
}
