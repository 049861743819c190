import FoundationEssentials
import ProviderKit

/// What an app's verifier is asked.
struct VerifierQuestion: Encodable {
  let subjectToken: String
  let appId: Int64
  /// Absent where the app named none.
  let nonce: String?

  /// The JSON that is posted.
  var bytes: [UInt8] {
    get throws(ProviderFailure) {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      guard let text = try? encoder.encode(self) else { throw .invalidRequest("subjectToken must be a text.") }
      return Array(text)
    }
  }
}

/// What it says of a good token.
struct VerifierAnswer: Decodable {
  let subject: String
  let email: String?
  let emailVerified: Bool?
  let name: String?

  /// - Throws: `invalid_subject_token` where the verifier says so; `provider_unavailable` for anything but that and a good
  ///   answer.
  init(_ answer: CallAnswer) throws(ProviderFailure) {
    switch answer.status {
    case 200:
      guard let read = try? JSONDecoder().decode(VerifierAnswer.self, from: Data(answer.body)),
        VerifiedIdentity.isSubject(read.subject)
      else { throw .verifierUnavailable("the verifier's answer is malformed") }
      self = read
    case 401: throw .invalidToken("the verifier refuses it")
    default: throw .verifierUnavailable("the verifier answers with an unexpected status")
    }
  }
}
