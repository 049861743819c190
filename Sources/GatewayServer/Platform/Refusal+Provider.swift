import GatewayBase
import ProviderKit

extension Refusal {
  /// A provider's refusal, kept within what a client may be told: 4xx, or 503.
  init(_ failure: ProviderFailure) {
    let status = (400..<500).contains(failure.status) || failure.status == 503 ? UInt16(failure.status) : 503
    self.init(status, failure.code, failure.message)
    retryAfter = failure.retryAfter ?? (status == 503 ? 5 : nil)
  }
}
