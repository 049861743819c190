import GatewayBase

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
  /// `X-Speed-App-Id: …`, as sent to its backends.
  let appFields: [UInt8]

  package init(
    appID: Int64, hosts: [HostName], requestFrom: [String], hasOpaquePaths: Bool, allowsMethodOverride: Bool,
    routes: RouteTable
  ) {
    self.appID = appID
    self.hosts = hosts
    self.requestFrom = requestFrom.map { Array($0.utf8) }
    self.hasOpaquePaths = hasOpaquePaths
    self.allowsMethodOverride = allowsMethodOverride
    self.routes = routes
    appFields = Array("X-Speed-App-Id: \(appID)\r\n".utf8)
  }
}
