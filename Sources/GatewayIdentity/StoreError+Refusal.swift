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
