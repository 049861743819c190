import GatewayBase
import GatewayProxy

/// The dash hosts. The API does not answer here.
struct Pages: Service {
  func respond(to request: ServiceRequest) async -> ServiceResponse {
    .refusal(.noRoute, requestID: request.requestID)
  }
}
