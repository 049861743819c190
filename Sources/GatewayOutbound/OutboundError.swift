/// Why a request of our own has no answer. Its text names neither URL nor content, so that it may be logged.
package enum OutboundError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Plain HTTP to another machine: refused before anything is sent.
  case notConfidential
  /// The name can't be resolved, or no connection was made.
  case unreachable
  /// The TLS handshake failed, or the certificate is not one of this host that a trusted authority signed.
  case untrusted
  case timedOut
  /// The answer is over the request's `responseLimit`.
  case responseTooLarge
  /// `fetch` got an answer whose status is not 200.
  case unexpectedStatus(Int)
  /// Too many requests of our own are waiting.
  case overloaded
  /// The connection broke, or what came is no HTTP; with the library's constant words for it.
  case failed(String)

  package var description: String {
    switch self {
    case .notConfidential: "plain http is allowed to this machine only"
    case .unreachable: "the host can't be reached"
    case .untrusted: "the host's certificate is not trusted, or TLS failed"
    case .timedOut: "no complete answer in time"
    case .responseTooLarge: "the answer is too large"
    case .unexpectedStatus(let status): "the answer has status \(status)"
    case .overloaded: "too many requests are waiting"
    case .failed(let words): words
    }
  }
}
