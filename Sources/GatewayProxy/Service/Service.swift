import GatewayBase
import GatewayHTTP
import GatewayIO

/// A part of the gateway that answers requests itself, in plain async code on the loop that accepted them: the
/// platform API, pages, the admin listener.
package protocol Service: Sendable {
  /// Answers one request. It may take its time, but must not block the thread.
  func respond(to request: ServiceRequest) async -> ServiceResponse

  /// What a refusal that is made in the service's place says to the page that asks: one for its body, its time, its
  /// head. Called on the loop.
  ///
  /// - Parameter origin: the page's origin as received; nil where none was named, or several.
  func fields(forOrigin origin: String?) -> [ServiceField]

  /// The form of such a refusal. Called on the loop.
  ///
  /// - Parameter target: the beginning of the request's target as received; nil where the head names none.
  func response(to refusal: Refusal, target: String?, requestID: String) -> ServiceResponse
}

extension Service {
  package func response(to refusal: Refusal, target: String?, requestID: String) -> ServiceResponse {
    .refusal(refusal, requestID: requestID)
  }

  package func fields(forOrigin origin: String?) -> [ServiceField] { [] }
}

/// A whole request, its body included.
package struct ServiceRequest: Sendable {
  package let method: HTTPMethod
  /// The method as written, for one without a name here.
  package let methodText: String
  /// Canonical (see `HostName`).
  package let host: String
  /// Canonical, percent-encoded as received apart from unreserved characters.
  package let path: String
  /// Without `?`; nil where there was none.
  package let query: String?
  package let fields: [ServiceField]
  package var body: [UInt8]
  /// Where the request came from: the peer, or whom a trusted peer names.
  package let address: IPAddress
  package let requestID: String
  /// The port that the client named with the host; nil for its scheme's default.
  package let port: UInt16?
  /// Whether the client sent it over TLS, as far as the listener or a trusted peer tells.
  package let isSecure: Bool

  package init(
    method: HTTPMethod, methodText: String, host: String, path: String, query: String?, fields: [ServiceField],
    body: [UInt8], address: IPAddress, requestID: String, port: UInt16? = nil, isSecure: Bool = false
  ) {
    self.method = method
    self.methodText = methodText
    self.host = host
    self.path = path
    self.query = query
    self.fields = fields
    self.body = body
    self.address = address
    self.requestID = requestID
    self.port = port
    self.isSecure = isSecure
  }

  /// The values of all fields of a name, in order. The name is compared without case.
  package func values(of name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

/// A header field as text.
package struct ServiceField: Sendable, Equatable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A whole answer. Framing, date and request id are added when it is written.
package struct ServiceResponse: Sendable {
  package var status: UInt16
  package var fields: [ServiceField]
  package var body: [UInt8]
  /// Whether the connection ends with it.
  package var closesConnection = false
  /// The code of the refusal that it stands for.
  package var code: String?

  package init(_ status: UInt16, fields: [ServiceField] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// A JSON answer that no cache keeps.
  package static func json(_ status: UInt16, _ body: [UInt8]) -> ServiceResponse {
    ServiceResponse(
      status,
      fields: [ServiceField("Content-Type", "application/json"), ServiceField("Cache-Control", "no-store")],
      body: body)
  }

  /// The answer that a refusal stands for: the one home of error answers.
  package static func refusal(_ refusal: Refusal, requestID: String) -> ServiceResponse {
    var response = json(refusal.status, refusal.body(requestID: requestID))
    response.code = refusal.code
    response.fields.append(ServiceField("X-Speed-Error", refusal.code))
    if let seconds = refusal.retryAfter { response.fields.append(ServiceField("Retry-After", String(seconds))) }
    if let challenge = refusal.challenge { response.fields.append(ServiceField("WWW-Authenticate", challenge)) }
    if let allow = refusal.allow { response.fields.append(ServiceField("Allow", allow)) }
    response.closesConnection = refusal.closesConnection
    return response
  }
}
