import GatewayBase
import GatewayIO

/// An app as the proxy sees it: compiled alone from its file, immutable. A request keeps the one it began with.
package final class Tenant: Sendable {
  package let appID: Int64
  package let hosts: [HostName]
  /// Values of `X-Speed-Request-From` that the app allows.
  package let requestFrom: [[UInt8]]
  /// `paths: opaque`: targets pass untouched.
  package let hasOpaquePaths: Bool
  /// `methodOverride: true`: the `X-HTTP-Method-Override` family passes.
  package let allowsMethodOverride: Bool
  package let routes: RouteTable
  /// Under which name its requests are counted.
  package let label: AppLabel
  /// `onClientGone: drain`: a backend may finish an answer that nobody waits for any more.
  let letsBackendsFinish: Bool
  /// Nil: pages of other origins are the backends' own matter.
  package let cors: CORSPolicy?
  /// Each once, in the order of the file.
  package let backends: [Backend]
  /// For each of `hosts` what its backends are told of where a request came: `Host`, which is first, `X-Forwarded-Host`
  /// and `X-Speed-App-Id`.
  let hostFields: [[UInt8]]
  /// Its part of a line in the access log.
  let logged: [UInt8]

  package init(
    appID: Int64, hosts: [HostName], requestFrom: [String], hasOpaquePaths: Bool, allowsMethodOverride: Bool,
    routes: RouteTable, backends: [Backend], cors: CORSPolicy? = nil, letsBackendsFinish: Bool = false,
    label: AppLabel = .other, texts: SharedTexts = SharedTexts()
  ) {
    self.appID = appID
    self.hosts = hosts
    self.requestFrom = texts.bytes(requestFrom)
    self.hasOpaquePaths = hasOpaquePaths
    self.allowsMethodOverride = allowsMethodOverride
    self.routes = routes
    self.label = label
    self.cors = cors
    self.letsBackendsFinish = letsBackendsFinish
    self.backends = backends
    let app = "\r\nX-Speed-App-Id: \(appID)\r\n"
    hostFields = hosts.map { host in
      let name = host.description
      return Array("Host: ".utf8) + Array(name.utf8) + Array("\r\nX-Forwarded-Host: ".utf8) + Array(name.utf8)
        + Array(app.utf8)
    }
    logged = Array(",\"app\":\(appID)".utf8)
  }
}

extension Tenant {
  /// Whether a page of this origin may open a WebSocket: one that `cors` lists, or one of the app's own domains on the
  /// port that the request came to. Browsers send the handshake to any origin, and ask nobody first (RFC 6455
  /// section 10.2).
  ///
  /// - Parameters:
  ///   - origin: the value of `Origin`.
  ///   - port: the one in `Host`; nil where it has none.
  func allowsWebSocket(from origin: Span<UInt8>, port: UInt16?) -> Bool {
    if let cors, cors.allows(origin: origin) { return true }
    guard let url = try? ServiceURL(String(copying: origin), schemes: [.https, .http]), url.path.isEmpty,
      ByteCompare.equal(origin, Array(url.origin.utf8)), case .name(let name) = url.host
    else { return false }
    return hosts.contains(name) && (port ?? url.scheme.defaultPort) == url.port
  }
}
