import GatewayBase
import GatewayIO
import GatewayProxy

/// The body of the command `speed-gateway sandbox`.
package enum Sandbox {
  /// Why the sandbox does not start.
  package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    case notAnAddress
    case notLoopback
    /// What the kernel said.
    case notListening(String)

    package var description: String {
      switch self {
      case .notAnAddress: "the address to listen on must be <IP address>:<port>, like 127.0.0.1:9400 or [::1]:9400"
      case .notLoopback:
        "the sandbox signs whatever it is asked for, so it listens on loopback only: 127.0.0.1 or [::1]"
      case .notListening(let reason): "the sandbox can't listen: \(reason)"
      }
    }
  }

  /// The paths that the sandbox answers, in lines, for the command's help.
  package static var doors: String { Door.help }

  /// Threads that make keys and sign.
  private static let threads = 4

  /// Serves until SIGTERM, SIGINT or SIGHUP, and then returns.
  ///
  /// - Parameters:
  ///   - listen: a loopback address and a port; port 0 lets the kernel pick.
  ///   - issuer: see `SandboxService.make`.
  ///   - logger: gets "listening" with the fields `role` and `address`.
  /// - Throws: `Failure`; `CryptoError` and `SystemError` where the machine gives no keys or no loop.
  package static func run(listen: String, issuer: String? = nil, logger: Logger) async throws {
    let signals = try SignalStream.start()
    try await start(listen: listen, issuer: issuer, logger: logger)
    for await _ in signals { return }
  }

  /// Starts to serve, on threads that live as long as the process.
  ///
  /// - Returns: the address, with the port that the kernel picked for port 0.
  /// - Throws: as `run` does.
  @discardableResult
  package static func start(
    listen: String, issuer: String? = nil, logger: Logger, slowness: Duration = SandboxService.usualSlowness
  ) async throws -> SocketAddress {
    let address = try address(listen)
    let pool = BlockingPool(name: "sandbox", threads: threads)
    let service = try await SandboxService.make(issuer: issuer, pool: pool, logger: logger, slowness: slowness)
    let workers = try WorkerGroup(
      count: 1,
      context: WorkerContext(
        tokens: NoTokens(), pool: pool, names: NameResolver(), logger: logger, limits: ConnectionLimits()),
      snapshot: RoutingSnapshot(services: [], tenants: []))
    let bound: SocketAddress
    do {
      bound = try workers.listen(on: address, for: .service(service))
    } catch {
      throw Failure.notListening("\(error)")
    }
    logger.info("listening", .text("role", "sandbox"), .text("address", "\(bound)"))
    return bound
  }

  private static func address(_ text: String) throws(Failure) -> SocketAddress {
    guard let address = try? SocketAddress(text) else { throw .notAnAddress }
    guard address.isLoopback else { throw .notLoopback }
    return address
  }
}
