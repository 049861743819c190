import GatewayBase

extension ServiceRequest {
  /// The candidate for a token, by the same rules as for a request to a backend.
  ///
  /// - Throws: why there is none, or none that can be one.
  package func bearerToken() throws(Refusal) -> [UInt8] {
    let values = values(of: "authorization")
    guard let value = values.first else { throw .missingToken }
    guard values.count == 1 else { throw .severalCredentials }
    let bytes = Array(value.utf8)
    let credential = BearerCredential.read(bytes.span, bytes.indices)
    if case .token(let range) = credential {
      let fault = BearerCredential.fault(bytes.span, range)
      guard fault == nil else { throw fault == .ambiguous ? .severalCredentials : .invalidToken }
      return Array(bytes[range])
    }
    throw credential == .ambiguous ? .severalCredentials : .invalidToken
  }
}
