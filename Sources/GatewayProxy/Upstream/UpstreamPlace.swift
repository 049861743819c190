import GatewayBase
import GatewayIO
import Synchronization

/// Where a server is: its addresses, TLS towards it, and the connections of HTTP/1.1 that idle.
///
/// All apps that name the same server in the same way share one, or a name would be looked up, authorities be read and
/// connections be kept ten thousand times. Who asks is told by each request, never by its connection, which carries one at
/// a time; what is spoken on it, and who vouched for its other end, is part of the endpoint. What apps do not share is
/// in `UpstreamServer`: health and load. Nor do they share connections of HTTP/2, which carry many at once.
final class UpstreamPlace: Sendable {
  let endpoint: UpstreamEndpoint
  /// Its part of a line in the access log.
  let logged: [UInt8]
  /// TLS, where it is spoken to this server.
  let tls: BackendTLS?
  /// Where the loops keep its idle connections of HTTP/1.1.
  let poolIndex: Int
  private let indices: PoolIndices
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

  init(_ endpoint: UpstreamEndpoint, _ indices: PoolIndices) {
    self.endpoint = endpoint
    self.indices = indices
    poolIndex = indices.take()
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

  deinit { indices.give(poolIndex) }

  /// Whether connections to it carry many requests at once.
  var speaksHTTP2: Bool { endpoint.applicationProtocol == .h2 }

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

/// The indices of places in the loops' tables of pools. One that is given back is used again: what a loop keeps of a
/// place holds it, so that nothing is left at its index when the place has gone.
final class PoolIndices: Sendable {
  private let state = Locked((next: 0, free: [Int]()))

  func take() -> Int {
    state.withLock { state in
      if let index = state.free.popLast() { return index }
      state.next += 1
      return state.next - 1
    }
  }

  func give(_ index: Int) { state.withLock { $0.free.append(index) } }
}
