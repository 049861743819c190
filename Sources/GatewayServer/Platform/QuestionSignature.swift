import GatewayBase
import GatewayCrypto

/// Proves to an app's verifier that a question is the gateway's and new: an HMAC over the time and the body.
struct QuestionSignature {
  static let fieldName = "X-Speed-Signature"

  /// `t=<Unix seconds>,v1=<hexadecimal HMAC-SHA256 of "<t>.<body>">`.
  let text: String

  init(of body: [UInt8], at time: UnixTime, secret: Secret) {
    let digest = Digest.hmacSHA256(key: secret, Array("\(time.seconds).".utf8) + body)
    text = "t=\(time.seconds),v1=\(Hex.encode(digest))"
  }
}
