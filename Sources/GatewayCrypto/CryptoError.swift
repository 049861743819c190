import COpenSSL

/// What can go wrong with a key or a signature of our own. Foreign input never throws it: that is judged good or bad.
package enum CryptoError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The text is no unencrypted private key in PEM form.
  case unreadableKey
  /// A private key, but not one on the curve P-256 whose two halves belong together.
  case unsuitableKey
  /// OpenSSL refused an operation that depends on no input: out of memory, or a broken installation.
  case operationFailed(String)

  package var description: String {
    switch self {
    case .unreadableKey: "no unencrypted private key in PEM form (PKCS #8)"
    case .unsuitableKey: "no valid private key on the curve P-256"
    case .operationFailed(let operation): "\(operation) failed"
    }
  }

  /// Empties the thread's queue of OpenSSL errors and throws.
  ///
  /// A record left behind would be read as the failure of the next, unrelated operation on this thread.
  static func fail(_ error: CryptoError) throws(CryptoError) -> Never {
    ERR_clear_error()
    throw error
  }
}
