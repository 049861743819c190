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

  /// What is spoken to the servers.
  package enum ApplicationProtocol: String, Sendable, CaseIterable, CustomStringConvertible {
    case http1, h2

    package var description: String { rawValue }
  }

  /// The gateway's own requests that tell whether a server is well: a 2xx in time is good.
  package struct Health: Sendable, Equatable {
    /// Canonical.
    package let path: String
    /// From the begin of one check to that of the next.
    package var interval = Milliseconds.seconds(5)
    /// From the begin of a check to the last byte of its answer.
    package var timeout = Milliseconds.seconds(2)
    /// Good checks in a row after which a server that was down is up.
    package var passes = 2
    /// Bad checks in a row after which a server that was up is down.
    package var failures = 3
  }

  /// When requests that failed keep a server from getting more.
  package struct Ejection: Sendable, Equatable {
    /// Failures in a row; 0: never.
    package var failures = 5
    /// How long, the first time.
    package var duration = Milliseconds.seconds(10)
  }

  package let name: String
  /// Never empty.
  package let servers: [BackendServer]
  package let applicationProtocol: ApplicationProtocol
  /// A file of certificates (PEM) that sign those of `https` servers; nil: the system's authorities.
  package let authorities: String?
  package let policy: Policy
  package let health: Health?
  package let ejection: Ejection
  /// How long a server that is new or back gets less than its share.
  package let slowStart: Milliseconds
  /// Requests under way at once: 503 beyond.
  package let maxConcurrent: Int
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
