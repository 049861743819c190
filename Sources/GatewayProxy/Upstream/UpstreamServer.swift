import GatewayBase
import GatewayIO

/// One address of a backend. It outlives reloads, so that its connections do too.
package final class UpstreamServer: Sendable {
  package let host: String
  package let port: UInt16
  /// Where the loops keep its idle connections.
  let poolIndex: Int
  private let resolution: Locked<Resolution>

  private struct Resolution {
    var addresses: [SocketAddress]
    /// Monotonic milliseconds from which on a look-up is due; `.max` for an address that is none of a name.
    var nextAt: UInt64
  }

  /// Milliseconds after which a name is looked up again; the addresses found last serve meanwhile.
  static let resolutionLifetime: UInt64 = 30_000
  /// The same after a look-up that failed.
  static let resolutionRetry: UInt64 = 5_000

  init(host: String, port: UInt16, poolIndex: Int) {
    self.host = host
    self.port = port
    self.poolIndex = poolIndex
    let literal = SocketAddress(literal: host, port: port)
    resolution = Locked(Resolution(addresses: literal.map { [$0] } ?? [], nextAt: literal == nil ? 0 : .max))
  }

  /// The addresses known now, best first, and whether the caller should look the name up (again).
  func addresses(now: UInt64) -> (known: [SocketAddress], mustResolve: Bool) {
    resolution.withLock { resolution in
      guard now >= resolution.nextAt else { return (resolution.addresses, false) }
      resolution.nextAt = now + Self.resolutionLifetime
      return (resolution.addresses, true)
    }
  }

  /// Takes in what a look-up found; one that failed leaves the addresses that are known.
  func resolved(_ addresses: [SocketAddress], now: UInt64) {
    resolution.withLock { resolution in
      if addresses.isEmpty { resolution.nextAt = now + Self.resolutionRetry } else { resolution.addresses = addresses }
    }
  }
}

/// Gives each server of each app one `UpstreamServer`, the same one across reloads.
package final class UpstreamServers: Sendable {
  private struct Key: Hashable {
    let app: Int64
    let host: String
    let port: UInt16
  }

  private struct State {
    var servers: [Key: UpstreamServer] = [:]
  }

  private let state = Locked(State())

  package init() {}

  /// The server of this app at this address. Pools are never shared between apps.
  package func server(app: Int64, host: String, port: UInt16) -> UpstreamServer {
    state.withLock { state in
      let key = Key(app: app, host: host, port: port)
      if let server = state.servers[key] { return server }
      let server = UpstreamServer(host: host, port: port, poolIndex: state.servers.count)
      state.servers[key] = server
      return server
    }
  }
}
