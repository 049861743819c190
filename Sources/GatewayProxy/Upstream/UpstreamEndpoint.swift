/// Where a server of a backend is, and how it is spoken to: what tells one server from another.
package struct UpstreamEndpoint: Sendable, Hashable, CustomStringConvertible {
  package enum Location: Sendable, Hashable {
    /// A host name, or the text of an IP address (IPv6 without brackets).
    case network(host: String, port: UInt16)
    /// A Unix socket.
    case unix(path: String)
  }

  /// What secures connections.
  package enum Security: Sendable, Hashable {
    case plain
    /// TLS, the certificate verified.
    ///
    /// - Parameter authorities: a file of certificates (PEM) to verify by; nil: the system's.
    case tls(authorities: String?)
  }

  /// What is spoken on them.
  package enum ApplicationProtocol: Sendable, Hashable { case http1, h2 }

  package var location: Location
  package var security = Security.plain
  package var applicationProtocol = ApplicationProtocol.http1

  package init(_ location: Location) { self.location = location }

  /// The name or address of a server that is no Unix socket; what TLS sends and verifies.
  package var host: String? { if case .network(let host, _) = location { host } else { nil } }

  /// As the configuration writes it: `http://127.0.0.1:9001`, `unix:/run/app.sock`.
  package var description: String {
    switch location {
    case .unix(let path): return "unix:\(path)"
    case .network(let host, let port):
      let scheme = security == .plain ? "http" : "https"
      return "\(scheme)://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
    }
  }
}
