import GatewayBase
import GatewayIO

/// The HTTP client of the slow path: blocking transfers on threads of its own, with connections kept for reuse.
///
/// It follows no redirect, asks no proxy, verifies certificates, and sends nothing in the clear beyond this machine.
package final class OutboundClient: Sendable {
  private let pool: BlockingPool
  /// Idle transfers, last used first, since that one's connections are the likeliest to be alive.
  private let idle = Locked<[CurlTransfer]>([])

  /// - Parameter threads: the most requests under way at once.
  package init(threads: Int = Limits.outboundThreads) {
    pool = BlockingPool(name: "outbound", threads: threads)
  }

  /// Sends a request and waits for the whole answer.
  package func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
    guard request.url.isConfidential else { throw .notConfidential }
    do {
      return try await pool.run { [idle] in
        let transfer = try idle.withLock { $0.popLast() } ?? CurlTransfer()
        defer { idle.withLock { $0.append(transfer) } }
        return try transfer.perform(request)
      }
    } catch let error as OutboundError {
      throw error
    } catch {
      throw .overloaded
    }
  }

  /// The body of what is at a URL; anything but status 200 is an error.
  package func fetch(_ url: ServiceURL) async throws(OutboundError) -> [UInt8] {
    let response = try await send(.get(url))
    guard response.status == 200 else { throw .unexpectedStatus(response.status) }
    return response.body
  }
}
