import FoundationEssentials
import ProviderKit

/// The fields of the request's body that are this provider's; `appId` and `domain` are the gateway's.
struct SignInBody: Decodable {
  let subjectToken: String?
  let issuer: String?
  let nonce: String?
  let fullName: String?

  /// - Throws: 400 `invalid_request` where a field is of another JSON type; absent and null are nil.
  init(_ bytes: [UInt8]) throws(ProviderFailure) {
    do {
      self = try JSONDecoder().decode(SignInBody.self, from: Data(bytes))
    } catch DecodingError.typeMismatch(_, let context) {
      // The last key is one of this type's own, never one that the client side chose.
      let name = context.codingPath.last?.stringValue
      throw .invalidRequest(name.map { "\($0) must be a string." } ?? "The body must be a JSON object.")
    } catch {
      throw .invalidRequest("The body must be a JSON object.")
    }
  }
}
