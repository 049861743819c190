import GatewayBase
import GatewayTLS

/// The certificates that a listener serves now. Connections keep those that they began with.
package final class TLSServing: Sendable {
  private let current: Locked<TLSContext>

  package init(_ context: TLSContext) { current = Locked(context) }

  var context: TLSContext { current.withLock { $0 } }

  /// Serves other certificates from now on.
  package func replace(with context: TLSContext) { current.withLock { $0 = context } }
}
