import GatewayBase
import GatewayCrypto
import GatewayOutbound

/// The key sets of all issuers, one cache for each URL.
///
/// URLs come from the configuration, never from a token (RFC 8725 section 3.10), so their number is bounded by it.
package final class KeySets: Sendable {
  private let client: OutboundClient
  private let logger: Logger
  private let caches = Locked<[ServiceURL: KeySetCache]>([:])

  package init(client: OutboundClient, logger: Logger) {
    self.client = client
    self.logger = logger
  }

  /// Believes or refuses the signature of a token whose issuer publishes its keys at `url`.
  ///
  /// - Parameter algorithms: those that the caller takes; the token does not choose.
  package func verify(
    _ token: [UInt8], keysAt url: ServiceURL, algorithms: Set<SignatureAlgorithm>
  ) async throws(KeySetCache.Failure) -> CompactJWS {
    try await cache(for: url).verify(token, algorithms: algorithms)
  }

  private func cache(for url: ServiceURL) -> KeySetCache {
    caches.withLock { caches in
      if let cache = caches[url] { return cache }
      let cache = KeySetCache(
        fetch: { [client] in try await client.fetch(url) },
        log: { [logger] error in
          logger.warning(
            "a key set could not be fetched", .text("origin", url.origin), .text("reason", "\(error)"))
        })
      caches[url] = cache
      return cache
    }
  }
}
