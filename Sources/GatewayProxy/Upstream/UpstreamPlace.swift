import GatewayBase
import GatewayIO
import Synchronization

/// Where a server is: its addresses, and TLS towards it.
///
/// All apps that name the same server in the same way share one, or a name would be looked up, and authorities be read,
/// ten thousand times. What they do not share is in `UpstreamServer`: connections, health and load.
final class UpstreamPlace: Sendable {
  let endpoint: UpstreamEndpoint
  /// Its part of a line in the access log.
  let logged: [UInt8]
  /// TLS, where it is spoken to this server.
  let tls: BackendTLS?
  private let resolution: Locked<Resolution>
  /// `Resolution.nextAt`, for requests that need no look at the addresses.
  private let lookUpAt: Atomic<UInt64>
  /// Raised when an address is no longer one of the name's.
  private let moves = Atomic<UInt32>(0)

  private struct Resolution {
    var addresses: [SocketAddress]
    /// Monotonic milliseconds from which on a look-up is due; `.max` for an address that is none of a name.
    var nextAt: UInt64
    /// The address that others were tried before in vain.
    var preferred: SocketAddress?
  }

  /// Milliseconds after which a name is looked up again; the addresses found last serve meanwhile. The system's
  /// resolver tells no time to live, so this is one that suits most names.
  static let resolutionLifetime: UInt64 = 30_000
  /// The same after a look-up that failed.
  static let resolutionRetry: UInt64 = 5_000

  init(_ endpoint: UpstreamEndpoint) {
    self.endpoint = endpoint
    logged = AccessLog.member("upstream", "\(endpoint)")
    tls = BackendTLS(endpoint)
    var addresses: [SocketAddress] = []
    var isName = false
    if case .network(let host, let port) = endpoint.location {
      if let literal = SocketAddress(literal: host, port: port) { addresses = [literal] } else { isName = true }
    }
    resolution = Locked(Resolution(addresses: addresses, nextAt: isName ? 0 : .max))
    lookUpAt = Atomic(isName ? 0 : .max)
  }

  /// The addresses known now, best first, and whether the caller should look the name up (again).
  func addresses(now: UInt64) -> (known: [SocketAddress], mustResolve: Bool) {
    resolution.withLock { resolution in
      guard now >= resolution.nextAt else { return (resolution.addresses, false) }
      resolution.nextAt = now + Self.resolutionLifetime
      lookUpAt.store(resolution.nextAt, ordering: .relaxed)
      return (resolution.addresses, true)
    }
  }

  /// Whether its name should be looked up (again).
  func isLookUpDue(now: UInt64) -> Bool { now >= lookUpAt.load(ordering: .relaxed) }

  /// How often an address ceased to be one of the name's: a connection made before such a move must be looked at.
  var moveCount: UInt32 { moves.load(ordering: .relaxed) }

  /// Whether `address` is one of those known now.
  func isAt(_ address: SocketAddress) -> Bool { resolution.withLock { $0.addresses.contains(address) } }

  /// Takes in what a look-up found; one that failed leaves the addresses that are known.
  func resolved(_ addresses: [SocketAddress], now: UInt64) {
    resolution.withLock { resolution in
      if addresses.isEmpty {
        resolution.nextAt = now + Self.resolutionRetry
        lookUpAt.store(resolution.nextAt, ordering: .relaxed)
      } else {
        if !resolution.addresses.allSatisfy(addresses.contains) { moves.wrappingAdd(1, ordering: .relaxed) }
        resolution.addresses = AddressOrder.interleaved(addresses, preferring: resolution.preferred)
      }
    }
  }

  /// Puts the address first that answered before those that were tried earlier.
  func prefer(_ address: SocketAddress) {
    resolution.withLock { resolution in
      resolution.preferred = address
      guard !resolution.addresses.isEmpty else { return }
      resolution.addresses = AddressOrder.interleaved(resolution.addresses, preferring: address)
    }
  }
}
