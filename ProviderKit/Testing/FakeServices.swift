import Foundation
import ProviderKit

/// The gateway's services with a signature of its own kind: the SHA-256 of a key and the signed text. As with some
/// real kinds, several signatures of one text are good: a final `-` does not count.
public actor FakeServices: ProviderServices {
  /// What the plugin's section of gateway.yaml says.
  public private(set) var settings: [String: String] = [:]
  /// The key sets that were asked for.
  public private(set) var askedKeySets: [String] = []
  private var isReachable = true
  private let signers = ["key-1": "secret-1", "key-2": "secret-2", "key-3": "secret-3"]

  /// Unix time in milliseconds; stands still unless it is moved.
  public private(set) var now: Int64

  /// - Parameter now: Unix time in milliseconds.
  public init(now: Int64 = 1_790_000_000_123) { self.now = now }

  /// Moves the time on.
  public func pass(seconds: Int64) { now += seconds * 1000 }

  /// Sets what the section of gateway.yaml says.
  public func set(_ settings: [String: String]) { self.settings = settings }

  /// From now on no key set can be had.
  public func goDown() { isReachable = false }

  /// The forms that were posted.
  public private(set) var posts: [FormPost] = []
  /// The claims that were signed.
  public private(set) var signed: [[UInt8]] = []
  private var answers: [Result<CallAnswer, CallFailure>] = []
  private var hasKey = true

  /// What posts get, in this order; nothing answers after them.
  public func answer(_ answers: (status: Int, body: String)?...) {
    self.answers += answers.map { answer in
      answer.map { .success(CallAnswer(status: $0.status, body: Array($0.body.utf8))) }
        ?? .failure(CallFailure("nothing answers"))
    }
  }

  /// From now on the app has no key of its own.
  public func loseKey() { hasKey = false }

  /// Keeps the claims in `signed`; the token is text of no meaning.
  public func sign(_ claims: [UInt8]) throws(CallFailure) -> String {
    guard hasKey else { throw CallFailure("no key") }
    signed.append(claims)
    return "secret-\(signed.count)"
  }

  /// Keeps the form in `posts`, and answers as `answer` was told.
  public func post(_ form: FormPost) throws(CallFailure) -> CallAnswer {
    posts.append(form)
    guard !answers.isEmpty else { throw CallFailure("nothing answers") }
    return try answers.removeFirst().get()
  }

  /// SHA-256 (FIPS 180-4).
  public func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.digest(bytes) }

  /// Knows the keys `key-1` to `key-3`, whose secrets are `secret-1` to `secret-3`.
  public func verify(
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
  public private(set) var askedIssuers: [String] = []

  /// Every issuer has the same keys.
  public func verify(
    _ token: String, issuer: String, algorithms: [SignatureAlgorithm]
  ) throws(KeyServiceFailure) -> VerifiedToken {
    askedIssuers.append(issuer)
    return try verify(token, keySetURL: issuer, algorithms: algorithms)
  }

  /// What the verifier was asked. Its answers are those of `answer`.
  public private(set) var questions: [[UInt8]] = []

  /// Keeps the question in `questions`, and answers as `answer` was told.
  public func askVerifier(_ question: [UInt8]) throws(CallFailure) -> CallAnswer {
    questions.append(question)
    guard !answers.isEmpty else { throw CallFailure("nothing answers") }
    return try answers.removeFirst().get()
  }

  /// A token that `verify` finds good where `key` is the secret of its `kid`. Claims that are `Absent` are left out.
  public static func token(header: [String: Any], claims: [String: Any], key: String) -> String {
    token(header: header, payload: json(claims.filter { !($0.value is Absent) }), key: key)
  }

  /// The same, with a payload of any kind.
  public static func token(header: [String: Any], payload: Data, key: String) -> String {
    let signed = "\(encode(json(header))).\(encode(payload))"
    return "\(signed).\(signature(of: signed, key: key))"
  }

  private static func json(_ object: [String: Any]) -> Data {
    (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)) ?? Data()
  }

  /// The signature of its own kind.
  public static func signature(of text: String, key: String) -> String {
    encode(Data(SHA256.digest(Array((key + text).utf8))))
  }

  /// Base64url without padding.
  public static func encode(_ data: Data) -> String {
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
  /// The letters that were sent.
  public internal(set) var letters: [ProviderMail] = []
  var takesLetters = true
  /// Shared accounts as the gateway knows them, by subject.
  public internal(set) var accounts: [String: VerifiedIdentity] = [:]
  var registered: Set<String> = []
  /// The subjects whose sessions were ended.
  public internal(set) var ended: [String] = []
  var generator = SystemRandomNumberGenerator()
}

/// In a body or in claims: the field is not there.
public struct Absent: Sendable {
  /// Takes a field out.
  public init() {}
}
