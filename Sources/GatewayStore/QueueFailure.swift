import GatewayIO

/// Runs `work`, and says `StoreError.unavailable` where a pool took no more of it.
func queued<Result: Sendable>(_ work: () async throws -> Result) async throws -> Result {
  do {
    return try await work()
  } catch let failure as BlockingPool.Failure {
    throw StoreError.unavailable("the queue of the store is \(failure)")
  }
}
