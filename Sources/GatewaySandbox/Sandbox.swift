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
    let running = try await start(listen: listen, issuer: issuer, logger: logger)
    for await _ in signals { break }
    withExtendedLifetime(running) {}
  }

  /// A sandbox that serves for as long as this is kept.
  package struct Running: Sendable {
    /// With the port that the kernel picked for port 0.
    package let address: SocketAddress
    private let workers: WorkerGroup

    fileprivate init(address: SocketAddress, workers: WorkerGroup) {
      self.address = address
      self.workers = workers
    }
  }

  /// Starts to serve.
  ///
  /// - Throws: as `run` does.
  package static func start(
    listen: String, issuer: String? = nil, logger: Logger, slowness: Duration = SandboxService.usualSlowness
  ) async throws -> Running {
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
    return Running(address: bound, workers: workers)
  }

  private static func address(_ text: String) throws(Failure) -> SocketAddress {
    guard let address = try? SocketAddress(text) else { throw .notAnAddress }
    guard address.isLoopback else { throw .notLoopback }
    return address
  }
}
