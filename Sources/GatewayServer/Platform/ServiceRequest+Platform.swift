import GatewayBase
import GatewayHTTP
import GatewayIdentity
import GatewayProxy

// What every call of the platform API asks of its request.
extension ServiceRequest {
  func require(_ methods: [HTTPMethod]) throws(Refusal) {
    guard methods.contains(method) else {
      throw .methodNotAllowed(methods.map { "\($0.name)" }.joined(separator: ", "))
    }
  }

  /// The body, which is a JSON object.
  func jsonObject() throws(Refusal) -> JSONValue {
    guard let body = try? JSONValue(parsing: body), body.object != nil else {
      throw .invalidRequest("The body must be a JSON object.")
    }
    return body
  }

  /// Where it came from, as the audit notes it.
  var auditOrigin: AuditEntry.Origin { AuditEntry.Origin(address: address, requestID: requestID) }
}
