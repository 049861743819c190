/// A request that asks whether a server is alive and well. Unlike other requests of ours it may go in the clear, as
/// it carries nothing that the requests to that server do not.
package struct Probe: Sendable {
  /// `http://host:port/path` or `https://…`. To a Unix socket the host is only a name.
  package let url: String
  /// The Unix socket that is connected to, whatever the URL's host.
  package var unixPath: String?
  /// A file of certificates (PEM) to verify by instead of the system's.
  package var authorities: String?
  /// Whether HTTP/2 is spoken, without being negotiated where there is no TLS.
  package var usesHTTP2 = false
  /// Fields of the request besides those that every request has.
  package var fields: [OutboundRequest.Field] = []
  /// Milliseconds to the last byte of the answer.
  package var timeout = 2000

  package init(url: String) { self.url = url }
}

/// How a probe went.
package enum ProbeResult: Sendable, Equatable {
  case answered(status: Int)
  case failed(OutboundError)

  /// Why the server is not well: nil for an answer of 2xx. Good for a log.
  package var fault: String? {
    switch self {
    case .answered(200...299): nil
    case .answered(let status): "its answer has status \(status)"
    case .failed(let error): error.description
    }
  }
}
