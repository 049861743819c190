import GatewayBase

/// Where an OpenID issuer has its keys, and the keys that are there: discovery (OpenID Connect Discovery 1.0 section 4) in
/// front of each fetch of a key set.
///
/// The place is kept for as long as a key set is, and asked for anew once it is older or had no keys. Where the issuer
/// does not answer that, the last place serves on. Whoever owns it fetches once at a time.
final class IssuerKeySource: Sendable {
  /// Brings the text of what is at a URL, or throws for anything but a whole answer with status 200.
  typealias Fetch = @Sendable (ServiceURL) async throws -> [UInt8]

  private struct Place {
    let url: ServiceURL
    let foundAt: UInt64
    var isDoubtful = false
  }

  private let issuer: IssuerURL
  private let fetch: Fetch
  private let log: @Sendable (any Error) -> Void
  private let milliseconds: @Sendable () -> UInt64
  private let known = Locked<Place?>(nil)

  /// - Parameters:
  ///   - log: is told why discovery failed where an earlier place serves on.
  ///   - milliseconds: a monotonic clock.
  init(
    _ issuer: IssuerURL, fetch: @escaping Fetch, log: @escaping @Sendable (any Error) -> Void,
    milliseconds: @escaping @Sendable () -> UInt64
  ) {
    self.issuer = issuer
    self.fetch = fetch
    self.log = log
    self.milliseconds = milliseconds
  }

  /// The text of the issuer's key set.
  func keySet() async throws -> [UInt8] {
    let place = try await place()
    do {
      return try await fetch(place)
    } catch {
      known.withLock { $0?.isDoubtful = true }
      throw error
    }
  }

  private func place() async throws -> ServiceURL {
    let (last, now) = (known.withLock { $0 }, milliseconds())
    if let last, !last.isDoubtful, now < last.foundAt + Limits.keySetLifetime { return last.url }
    do {
      let url = try IssuerMetadata(try await fetch(issuer.metadata), of: issuer).keySetURL
      known.withLock { $0 = Place(url: url, foundAt: now) }
      return url
    } catch {
      guard let last else { throw error }
      log(error)
      return last.url
    }
  }
}
