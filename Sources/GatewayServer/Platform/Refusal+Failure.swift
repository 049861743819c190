import GatewayBase

extension Refusal {
  /// What a client is told of a failure: a refusal itself; all else is 500 `internal`, and an error in the log.
  ///
  /// - Parameters:
  ///   - message: what failed, for the log.
  ///   - fields: of whom it was.
  init(_ failure: any Error, _ message: StaticString, _ fields: LogField..., in logger: Logger) {
    if let refusal = failure as? Refusal {
      self = refusal
    } else {
      logger.log(.error, message, [.text("reason", "\(failure)")] + fields)
      self = .internalError
    }
  }
}
