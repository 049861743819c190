import GatewayHTTP

/// One rule of an app: which paths and methods go where, and what they demand.
package final class Route: Sendable {
  /// Canonical. Ending in `/`: a prefix; else exact, or followed by `/`.
  package let path: [UInt8]
  package let methods: MethodSet
  /// `Allow` of a 405: the methods by name.
  package let allow: String
  package let requiresToken: Bool
  package let backend: Backend
  /// Bytes of a request body: 413 beyond.
  package let maxBody: UInt64
  /// Whether the bearer token goes on to the backend.
  package let forwardsToken: Bool
  /// Nil: no limit.
  package let limit: RouteLimit?
  /// Its part of a line in the access log.
  let logged: [UInt8]

  package init(
    path: [UInt8], methods: MethodSet, allow: String, requiresToken: Bool, backend: Backend, maxBody: UInt64,
    forwardsToken: Bool, limit: RouteLimit? = nil, texts: SharedTexts = SharedTexts()
  ) {
    let text = String(decoding: path, as: UTF8.self)
    self.path = texts.bytes(text)
    self.methods = methods
    self.allow = texts.string(allow)
    self.requiresToken = requiresToken
    self.backend = backend
    self.maxBody = maxBody
    self.forwardsToken = forwardsToken
    self.limit = limit
    logged = texts.route(text)
  }

  func matches(_ target: Span<UInt8>) -> Bool {
    let count = path.count
    guard target.count >= count else { return false }
    for index in 0..<count where target[index] != path[index] { return false }
    return target.count == count || path[count - 1] == slash || target[count] == slash
  }
}

private let slash = UInt8(ascii: "/")

/// The methods that a route takes.
package struct MethodSet: OptionSet, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package init(_ method: HTTPMethod) { rawValue = 1 << UInt16(method.rawValue) }

  /// Every method, also ones that the gateway has no name for.
  package static let all = MethodSet(rawValue: .max)
}

/// An app's routes, longest path first: the first that matches decides, whatever its methods.
package struct RouteTable: Sendable {
  package let routes: [Route]

  package init(_ routes: [Route]) { self.routes = routes.sorted { $0.path.count > $1.path.count } }

  /// The index of the route of a canonical path, without its query.
  func index(of target: borrowing TargetBuffer) -> Int? {
    var index = 0
    while index < routes.count {
      if routes[index].matches(target.path) { return index }
      index += 1
    }
    return nil
  }
}
