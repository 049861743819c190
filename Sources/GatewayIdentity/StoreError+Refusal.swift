import GatewayBase
import GatewayStore

extension StoreError {
  /// The answer where the store can't serve right now; nil for a bug.
  var refusal: Refusal? {
    switch self {
    case .unavailable, .conflict, .schemaTooNew: .storeUnavailable
    case .uniqueViolation, .sql: nil
    }
  }
}

extension Logger {
  /// Turns a store that can't serve into the answer for it, and says so; other errors pass.
  @discardableResult
  func refusing<Result>(_ work: () async throws -> Result) async throws -> Result {
    do {
      return try await work()
    } catch let error as StoreError {
      warning("the store did not serve a request", .text("reason", "\(error)"))
      throw error.refusal ?? error
    }
  }
}
