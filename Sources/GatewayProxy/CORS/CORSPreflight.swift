import GatewayBase
import GatewayHTTP

/// The request by which a browser asks whether a page may send another one (Fetch standard, section 3.2.2).
///
/// It comes without a token by its nature, so it is answered before anything is checked, and by the gateway: a backend
/// that saw it would have seen a request without a token. Everything else that is `OPTIONS` is a request like others.
enum CORSPreflight {
  /// Whether a head is one: `OPTIONS` with one `Origin` and one method that is asked for.
  static func isOne(_ method: HTTPMethod, _ head: Span<UInt8>, _ fields: borrowing FieldTable) -> Bool {
    guard method == .options, fields.only(.origin) != nil, let asked = fields.only(.accessControlRequestMethod) else {
      return false
    }
    return HTTPMethod.parse(head.extracting(asked.valueRange)) != nil
  }

  /// The answer, less what `CORSPolicy` adds for the origin; nothing is allowed where the origin is not.
  ///
  /// - Parameter route: that of the path; nil where there is none, so that the request's own answer tells the page.
  static func answer(
    _ head: Span<UInt8>, _ fields: borrowing FieldTable, route: Route?, isGranted: Bool
  ) -> ServiceResponse {
    let vary = ServiceField("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
    guard isGranted, let asked = fields.only(.accessControlRequestMethod) else {
      return ServiceResponse(204, fields: [vary])
    }
    let method = String(copying: head.extracting(asked.valueRange))
    let methods = route.map { $0.methods == .all ? method : $0.allow } ?? method
    let headers = fields.only(.accessControlRequestHeaders).flatMap {
      CORSPermission.names(head.extracting($0.valueRange))
    }
    return ServiceResponse(
      204, fields: [vary] + CORSPermission.fields(methods: methods, headers: headers))
  }
}
