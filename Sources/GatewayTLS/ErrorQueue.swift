import COpenSSL

/// The thread's queue of OpenSSL errors. What is left in it would be read as the failure of the next operation, so
/// whoever fails empties it.
enum ErrorQueue {
  /// Empties the queue, at next to no cost where it is empty.
  static func clear() {
    if ERR_peek_error() != 0 { ERR_clear_error() }
  }

  /// Empties the queue and tells the reason of the error that came first: the cause, not what followed from it.
  static func takeReason() -> Int32 {
    let error = ERR_peek_error()
    ERR_clear_error()
    return copenssl_is_ssl_error(error) == 1 ? copenssl_reason(error) : 0
  }

  /// Empties the queue and tells the first error in OpenSSL's words.
  static func takeText() -> String {
    let error = ERR_peek_error()
    ERR_clear_error()
    return unsafe ERR_reason_error_string(error).map { unsafe String(cString: $0) } ?? "unknown error"
  }
}
