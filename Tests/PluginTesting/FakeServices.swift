import Foundation
import ProviderKit

/// The gateway's services with a signature of its own kind: the SHA-256 of a key and the signed text. As with some
/// real kinds, several signatures of one text are good: a final `-` does not count.
package actor FakeServices: ProviderServices {
  package private(set) var settings: [String: String] = [:]
  package private(set) var askedKeySets: [String] = []
  private var isReachable = true
  private let signers = ["key-1": "secret-1", "key-2": "secret-2", "key-3": "secret-3"]

  /// Unix time in milliseconds; stands still unless it is moved.
  package private(set) var now: Int64

  package init(now: Int64 = 1_790_000_000_123) { self.now = now }

  package func pass(seconds: Int64) { now += seconds * 1000 }

  package func set(_ settings: [String: String]) { self.settings = settings }

  package func goDown() { isReachable = false }

  /// The forms that were posted.
  package private(set) var posts: [FormPost] = []
  /// The claims that were signed.
  package private(set) var signed: [[UInt8]] = []
  private var answers: [Result<CallAnswer, CallFailure>] = []
  private var hasKey = true

  /// What posts get, in this order; nothing answers after them.
  package func answer(_ answers: (status: Int, body: String)?...) {
    self.answers += answers.map { answer in
      answer.map { .success(CallAnswer(status: $0.status, body: Array($0.body.utf8))) }
        ?? .failure(CallFailure("nothing answers"))
    }
  }

  package func loseKey() { hasKey = false }

  package func sign(_ claims: [UInt8]) throws(CallFailure) -> String {
    guard hasKey else { throw CallFailure("no key") }
    signed.append(claims)
    return "secret-\(signed.count)"
  }

  package func post(_ form: FormPost) throws(CallFailure) -> CallAnswer {
    posts.append(form)
    guard !answers.isEmpty else { throw CallFailure("nothing answers") }
    return try answers.removeFirst().get()
  }

  package func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.digest(bytes) }

  package func verify(
    _ token: String, keySetURL: String, algorithms: [SignatureAlgorithm]
  ) throws(KeyServiceFailure) -> VerifiedToken {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let header = Self.decode(parts[0]), let payload = Self.decode(parts[1]),
      let fields = try? JSONSerialization.jsonObject(with: header) as? [String: Any],
      let keyID = fields["kid"] as? String
    else { throw .malformed }
    guard let algorithm = (fields["alg"] as? String).flatMap(SignatureAlgorithm.init), algorithms.contains(algorithm)
    else { throw .unacceptableAlgorithm }
    askedKeySets.append(keySetURL)
    guard isReachable else { throw .unavailable(retryAfter: 30) }
    guard let key = signers[keyID] else { throw .unknownKey }
    let signature = Self.signature(of: "\(parts[0]).\(parts[1])", key: key)
    guard parts[2] == signature || parts[2] == signature + "-" else { throw .badSignature }
    return VerifiedToken(
      keyID: keyID, type: fields["typ"] as? String, algorithm: algorithm, payload: [UInt8](payload))
  }

  /// The issuers whose keys were asked for.
  package private(set) var askedIssuers: [String] = []

  /// Every issuer has the same keys.
  package func verify(
    _ token: String, issuer: String, algorithms: [SignatureAlgorithm]
  ) throws(KeyServiceFailure) -> VerifiedToken {
    askedIssuers.append(issuer)
    return try verify(token, keySetURL: issuer, algorithms: algorithms)
  }

  /// What the verifier was asked. Its answers are those of `answer`.
  package private(set) var questions: [[UInt8]] = []

  package func askVerifier(_ question: [UInt8]) throws(CallFailure) -> CallAnswer {
    questions.append(question)
    guard !answers.isEmpty else { throw CallFailure("nothing answers") }
    return try answers.removeFirst().get()
  }

  package static func token(header: [String: Any], claims: [String: Any], key: String) -> String {
    token(header: header, payload: json(claims.filter { !($0.value is Absent) }), key: key)
  }

  package static func token(header: [String: Any], payload: Data, key: String) -> String {
    let signed = "\(encode(json(header))).\(encode(payload))"
    return "\(signed).\(signature(of: signed, key: key))"
  }

  private static func json(_ object: [String: Any]) -> Data {
    (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)) ?? Data()
  }

  package static func signature(of text: String, key: String) -> String {
    encode(Data(SHA256.digest(Array((key + text).utf8))))
  }

  package static func encode(_ data: Data) -> String {
    data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }

  private static func decode(_ text: String) -> Data? {
    let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    return Data(base64Encoded: standard + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
  }

  // What is kept.
  var kept: [String: Kept] = [:]
  var commits: Int64 = 0
  // What was sent, and whether the relay takes it.
  package internal(set) var letters: [ProviderMail] = []
  var takesLetters = true
  // Shared accounts as the gateway knows them, by subject.
  package internal(set) var accounts: [String: VerifiedIdentity] = [:]
  var registered: Set<String> = []
  package internal(set) var ended: [String] = []
  var generator = SystemRandomNumberGenerator()
}

/// In a body or in claims: the field is not there.
package struct Absent: Sendable {
  package init() {}
}
