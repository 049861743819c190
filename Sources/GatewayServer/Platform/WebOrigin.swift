import GatewayBase
import GatewayHTTP
import GatewayProxy

/// The page that a call of the platform API comes from, and what its browser is told.
///
/// Web apps sign in, read the profile and sign out here, from other origins. Those that an app lists in `cors`, and
/// the apps' own domains, may read the answers; never with credentials, as a token is all that counts here. An app
/// that allows any origin opens its own domains by that, not the platform. What takes a server key is for no page: a key
/// that a page could use would be everybody's.
struct WebOrigin: Sendable {
  /// Nil where no page asks, or one that may not read the answer.
  private let allowed: String?
  private let isAsking: Bool

  init(of request: ServiceRequest, in directory: AppDirectory) {
    let origins = request.values(of: "origin")
    let mayRead = origins.count == 1 && !BalanceAPI.takes(request.path)
    self.init(mayRead ? origins.first : nil, isAsking: !origins.isEmpty, in: directory)
  }

  /// - Parameter origin: as received; nil where none was named, or several.
  init(_ origin: String?, in directory: AppDirectory) {
    self.init(origin, isAsking: origin != nil, in: directory)
  }

  private init(_ origin: String?, isAsking: Bool, in directory: AppDirectory) {
    self.isAsking = isAsking
    allowed = origin.flatMap { directory.isWebOrigin($0) ? $0 : nil }
  }

  /// The answer to a preflight, which asks whether a page may send a request (Fetch standard, section 3.2.2).
  func preflight(_ request: ServiceRequest) -> ServiceResponse? {
    let methods = request.values(of: "access-control-request-method")
    guard request.method == .options, isAsking, methods.count == 1 else { return nil }
    var response = ServiceResponse(204)
    response.fields.append(
      ServiceField("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers"))
    if allowed != nil {
      let asked = request.values(of: "access-control-request-headers")
      response.fields += CORSPermission.fields(
        methods: "GET, HEAD, POST, DELETE",
        headers: asked.count == 1 ? asked.first.flatMap { CORSPermission.names(Array($0.utf8).span) } : nil)
    }
    return allowing(response)
  }

  /// The answer with what the page's browser needs to show it.
  func allowing(_ response: ServiceResponse) -> ServiceResponse {
    var response = response
    response.fields += fields
    return response
  }

  /// What the page's browser needs to show it an answer.
  var fields: [ServiceField] {
    let vary = ServiceField("Vary", "Origin")
    guard let allowed else { return [vary] }
    return [
      vary, ServiceField("Access-Control-Allow-Origin", allowed),
      ServiceField("Access-Control-Expose-Headers", CORSPermission.exposed),
    ]
  }
}
