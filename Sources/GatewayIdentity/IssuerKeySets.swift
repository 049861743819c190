import GatewayBase
import GatewayCrypto
import GatewayOutbound

/// The key sets of the OpenID issuers that apps list, one cache for each, filled by discovery.
///
/// Issuers come from the configuration, never from a token (RFC 8725 section 3.10), and those that no app lists any more
/// are forgotten: so their number is bounded by it.
package final class IssuerKeySets: Sendable {
  private let fetch: IssuerKeySource.Fetch
  private let logger: Logger
  private let milliseconds: @Sendable () -> UInt64
  private let caches = Locked<[String: KeySetCache]>([:])

  package convenience init(client: OutboundClient, logger: Logger) {
    self.init(
      fetch: { try await client.fetch($0) }, logger: logger, milliseconds: { MonotonicClock.nanoseconds / 1_000_000 })
  }

  init(
    fetch: @escaping IssuerKeySource.Fetch, logger: Logger, milliseconds: @escaping @Sendable () -> UInt64
  ) {
    self.fetch = fetch
    self.logger = logger
    self.milliseconds = milliseconds
  }

  /// Believes or refuses the signature of a token of an issuer.
  ///
  /// - Parameter algorithms: those that the caller takes; the token does not choose.
  package func verify(
    _ token: [UInt8], of issuer: IssuerURL, algorithms: Set<SignatureAlgorithm>
  ) async throws(KeySetCache.Failure) -> CompactJWS {
    try await cache(for: issuer).verify(token, algorithms: algorithms)
  }

  /// Forgets what is known of issuers that are not wanted any more.
  package func keep(_ isWanted: (_ issuer: String) -> Bool) {
    caches.withLock { caches in caches = caches.filter { isWanted($0.key) } }
  }

  /// How many issuers are known.
  package var count: Int { caches.withLock { $0.count } }

  private func cache(for issuer: IssuerURL) -> KeySetCache {
    caches.withLock { caches in
      if let cache = caches[issuer.text] { return cache }
      let log: @Sendable (any Error) -> Void = { [logger] error in
        logger.warning(
          "an issuer's keys could not be fetched", .text("issuer", issuer.text), .text("reason", "\(error)"))
      }
      let source = IssuerKeySource(issuer, fetch: fetch, log: log, milliseconds: milliseconds)
      let cache = KeySetCache(fetch: { try await source.keySet() }, log: log, milliseconds: milliseconds)
      caches[issuer.text] = cache
      return cache
    }
  }
}
