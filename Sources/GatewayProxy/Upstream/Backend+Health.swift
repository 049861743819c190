import GatewayBase

// What a backend's servers are known by, and the log of what changes.
extension Backend {
  /// A request failed at the server with this index.
  ///
  /// - Parameter chance: 0..<1, at random.
  func requestFailed(
    _ failure: ServerHealth.Failure, at index: Int, now: UInt64, chance: Double, _ site: HealthSite
  ) {
    let siblings = ServerHealth.Siblings(
      total: servers.count, inService: servers.count { $0.isInService(now: now) })
    let change = servers[index].note(
      { $0.requestFailed(failure, siblings, now: now, chance: chance) }, now: now)
    site.log(change, servers[index], self)
  }

  /// The server with this index began to answer a request.
  func answerBegan(at index: Int, now: UInt64, _ site: HealthSite) {
    site.log(servers[index].noteGood({ $0.answerBegan(now: now) }, now: now), servers[index], self)
  }

  /// The server with this index answered a request to the end.
  func requestServed(at index: Int, now: UInt64, _ site: HealthSite) {
    site.log(servers[index].noteGood({ $0.requestServed(now: now) }, now: now), servers[index], self)
  }

  /// Ends ejections whose time is over.
  func timePassed(now: UInt64, _ site: HealthSite) {
    for server in servers where !server.isPlain { site.log(server.timePassed(now: now), server, self) }
  }

  /// A check of one of the servers was answered, well or not.
  ///
  /// - Parameters:
  ///   - fault: why it was bad; nil where it was good.
  ///   - now: monotonic milliseconds.
  package func checked(_ server: UpstreamServer, fault: String?, now: UInt64, _ site: HealthSite) {
    let change = server.note({ fault == nil ? $0.checkPassed(now: now) : $0.checkFailed() }, now: now)
    site.log(change, server, self, fault: fault)
  }
}

/// Who tells of changes: the app, and where its log lines go.
package struct HealthSite: Sendable {
  let app: Int64
  let logger: Logger

  package init(app: Int64, logger: Logger) {
    self.app = app
    self.logger = logger
  }

  fileprivate func log(
    _ change: ServerHealth.Change?, _ server: UpstreamServer, _ backend: Backend, fault: String? = nil
  ) {
    guard let change else { return }
    let fields: [LogField] = [
      .integer("app", app), .text("backend", backend.name), .text("server", "\(server.endpoint)"),
    ]
    switch change {
    case .ejected(let failure, let milliseconds):
      logger.log(
        .warning, "a server is ejected",
        fields + [.text("reason", failure.reason), .integer("milliseconds", milliseconds)])
    case .readmitted: logger.log(.info, "a server is back from ejection", fields)
    case .wentDown: logger.log(.warning, "a server is down", fields + [.text("reason", fault ?? "")])
    case .cameUp: logger.log(.info, "a server is up", fields)
    }
  }
}

extension ServerHealth.Failure {
  fileprivate var reason: String {
    switch self {
    case .unreachable: "it can't be reached"
    case .unserved: "it did not serve requests"
    case .brokenOff: "its answers break off"
    }
  }
}
