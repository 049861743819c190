import GatewayBase
import GatewayConfig
import GatewayProxy
import GatewayTLS

/// The certificates of one listener: read from their files, served, and replaced when the files change. Connections
/// that stand keep what they began with.
final class ListenerCertificates: Sendable {
  let serving: TLSServing
  private let address: String
  private let files: Locked<TLSIdentityFiles>
  private let tickets: TLSTicketKeys
  private let logger: Logger

  /// - Throws: `TLSProblem` where no certificate can be used.
  init(
    _ listener: ListenerConfiguration, tickets: TLSTicketKeys, now: UnixTime, logger: Logger
  ) throws(TLSProblem) {
    address = "\(listener.address)"
    self.tickets = tickets
    self.logger = logger
    var files = TLSIdentityFiles(listener.tls.map { ($0.certificate, $0.key) })
    var identities: [TLSIdentity] = []
    if case .changed(let found) = files.look(now: now) { identities = found }
    for problem in files.problems { Self.report(problem, logger) }
    serving = TLSServing(try Self.context(identities, tickets))
    self.files = Locked(files)
  }

  /// Looks at the files' stamps, and serves what is new in them. Blocks on the file system.
  func refresh(now: UnixTime) {
    let (identities, problems) = files.withLock { files -> ([TLSIdentity]?, [TLSProblem]) in
      guard case .changed(let identities) = files.look(now: now) else { return (nil, []) }
      return (identities, files.problems)
    }
    for problem in problems { Self.report(problem, logger) }
    guard let identities else { return }
    do throws(TLSProblem) {
      serving.replace(with: try Self.context(identities, tickets))
      logger.info("certificates are live", .text("address", address), .integer("certificates", identities.count))
    } catch {
      Self.report(error, logger)
    }
  }

  private static func context(
    _ identities: [TLSIdentity], _ tickets: TLSTicketKeys
  ) throws(TLSProblem) -> TLSContext {
    try TLSContext(identities: identities, protocols: [.http2, .http1], tickets: tickets)
  }

  private static func report(_ problem: TLSProblem, _ logger: Logger) {
    logger.error("a certificate has a problem", .text("file", problem.file), .text("reason", problem.reason))
  }
}
