import GatewayBase
import GatewayProxy

/// Where a browser sees the pages.
struct PageOrigin {
  /// Scheme, host and port, as browsers write it (RFC 6454 section 6.2).
  let text: String
  /// The port on which the browser has found the gateway, where that is on its own machine: a developer's.
  let loopbackPort: UInt16?

  /// TLS may end in front of the gateway: where its public URL has it, so have all but a developer's browser. The port
  /// is the public URL's too: what a client says of it would stand in links of letters.
  init(of request: ServiceRequest, publicURL: ServiceURL) {
    let host = HostName(request.host).map { URLHost($0) }
    let isLoopback = host?.isLoopback == true
    let isBehindTLS = publicURL.scheme == .https && !isLoopback
    let scheme: ServiceURL.Scheme = isBehindTLS || request.isSecure ? .https : .http
    let given = isLoopback ? request.port : scheme == publicURL.scheme ? publicURL.port : nil
    let port = given ?? scheme.defaultPort
    text = "\(scheme.rawValue)://\(request.host)" + (port == scheme.defaultPort ? "" : ":\(port)")
    loopbackPort = isLoopback ? port : nil
  }
}
