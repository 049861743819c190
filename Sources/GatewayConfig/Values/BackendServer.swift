import GatewayBase

/// One address of a backend.
package struct BackendServer: Sendable, Hashable, CustomStringConvertible {
  package let isTLS: Bool
  /// A canonical name, or the canonical text of an IP address (IPv6 without brackets).
  package let host: String
  package let port: UInt16

  package init(isTLS: Bool = false, host: String, port: UInt16) {
    self.isTLS = isTLS
    self.host = host
    self.port = port
  }

  package var description: String {
    "\(isTLS ? "https" : "http")://\(host.holds(":") ? "[\(host)]" : host):\(port)"
  }

  /// - Throws: what is wrong with `text`.
  static func parse(_ text: String) throws(ValueFault) -> BackendServer {
    let url = try ServiceURL.configured(text, [.http, .https])
    guard url.path.isEmpty else {
      throw ValueFault("a backend's URL has no path", hint: "write \(url.origin); requests keep their own path")
    }
    if case .address(let address) = url.host, address.isLinkLocal {
      throw ValueFault(
        "a backend on a link-local address", hint: "169.254.0.0/16 and fe80::/10 are where clouds hand out credentials")
    }
    return BackendServer(isTLS: url.scheme == .https, host: url.host.description, port: url.port)
  }
}

extension ValueType where Value == BackendServer {
  static var backendServer: ValueType {
    let url = ValueType.text("a URL such as http://127.0.0.1:9001", pattern: "^https?://[^/]+/?$") {
      text throws(ValueFault) in
      try BackendServer.parse(text)
    }
    return ValueType(shape: url.shape) { node, diagnostics in
      let server = url.read(node, diagnostics)
      if let server, server.isTLS {
        diagnostics.warning(
          .notYetActive, at: node.place, "a backend over TLS is read but not reached yet", hint: "write http:// for now"
        )
      }
      return server
    }
  }
}
