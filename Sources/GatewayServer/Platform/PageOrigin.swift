import GatewayBase
import GatewayProxy

/// Where a browser sees the pages.
struct PageOrigin {
  /// Scheme, host and port, as browsers write it (RFC 6454 section 6.2).
  let text: String
  /// The port on which the browser has found the gateway, where that is on its own machine: a developer's.
  let loopbackPort: UInt16?

  /// TLS may end in front of the gateway: where its public URL has it, so have all but a developer's browser.
  init(of request: ServiceRequest, publicURL: ServiceURL) {
    let host = HostName(request.host).map { URLHost($0) }
    let isBehindTLS = publicURL.scheme == .https && host?.isLoopback != true
    let scheme: ServiceURL.Scheme = isBehindTLS || request.isSecure ? .https : .http
    let port = request.port ?? scheme.defaultPort
    text = "\(scheme.rawValue)://\(request.host)" + (port == scheme.defaultPort ? "" : ":\(port)")
    loopbackPort = host?.isLoopback == true ? port : nil
  }
}
