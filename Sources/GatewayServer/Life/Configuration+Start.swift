import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayIdentity
import GatewayPlugins
import GatewayProxy
import GatewayStore

// What a start makes of the configuration's values.

extension StoreConfiguration {
  /// The store with the schema of accounts, and the password as it is now; without one where it is missing. Nothing is
  /// opened before its first use.
  package func open(environment: [String: String], logger: Logger) -> any Store {
    location.open(
      password: password?.resolve(environment: environment), migrations: IdentitySchema.migrations, logger: logger)
  }
}

extension AppDirectory {
  func snapshot(for configuration: GatewayConfiguration, platform: PlatformAPI, pages: Pages) -> RoutingSnapshot {
    snapshot(
      services: configuration.platform.services(api: platform, pages: pages),
      maxHeader: configuration.limits.maxHeader.bytes)
  }
}

extension PlatformConfiguration {
  /// What answers on each of the gateway's own hosts: the API on its hosts alone, so that no script of a page's origin
  /// reaches it; on a host of both it answers beside the pages.
  func services(api: any Service, pages: any Service) -> [(host: HostName, service: any Service)] {
    let (apiHosts, dashHosts) = (Set(self.apiHosts), Set(self.dashHosts))
    let both = PagesAndAPI(pages: pages, api: api)
    return apiHosts.union(dashHosts).map { host in
      switch (apiHosts.contains(host), dashHosts.contains(host)) {
      case (true, true): (host, both)
      case (true, false): (host, api)
      default: (host, pages)
      }
    }
  }
}

extension AccessLogConfiguration {
  /// Why there is no access log.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The access log; nil where none is wanted. The folder of its file is made where it is absent: it may be the one that
  /// holds all that the gateway makes.
  ///
  /// - Throws: `Failure`, `PrivateFolder.Problem` where its file can't be opened.
  func open(loops: Int) throws -> AccessLog? {
    guard mode != .off else { return nil }
    if let file, let slash = file.lastIndex(of: "/"), slash > file.startIndex {
      try PrivateFolder.make(String(file[..<slash]))
    }
    let lines: LineLog
    do {
      lines = try LineLog(to: file.map(LineLog.Sink.file) ?? .standardOutput, threads: loops)
    } catch {
      throw Failure(description: "the access log \(file ?? "") can't be opened: \(error)")
    }
    return AccessLog(lines: lines, selection: mode == .on ? .all : .sampled(oneIn: UInt64(max(1, oneIn))))
  }
}

extension LimitConfiguration {
  /// The client connections that fit into so many descriptors. A quarter is left to connections to backends: at that
  /// limit sign-in, reload and requests of those who are in still have descriptors.
  func connections(within descriptors: Int) -> Int {
    min(maxConnections, max(1, descriptors - descriptors / 4 - Limits.reservedDescriptors))
  }

  /// The share of so many client connections that one address may have.
  func perAddress(of connections: Int) -> Int {
    maxConnectionsPerAddress ?? max(connections / 10, Limits.connectionsPerAddress)
  }
}

extension PluginCatalog {
  /// Tells what has become of each plugin since `old`.
  func log(to logger: Logger, after old: PluginCatalog? = nil) {
    if let failure = folderFailure { logger.warning("no plugins", .text("reason", failure)) }
    let names = Set(plugins.map(\.name))
    for plugin in old?.plugins ?? [] where !names.contains(plugin.name) {
      logger.info("a plugin is gone", .text("plugin", plugin.name))
    }
    for plugin in plugins {
      let before = old?.plugin(named: plugin.name)
      if let rejection = plugin.rejection {
        guard rejection != before?.rejection else { continue }
        logger.error(
          "a changed plugin can't be loaded: its last good version serves", .text("plugin", plugin.name),
          .text("version", plugin.version ?? ""), .text("reason", rejection))
      } else if let failure = plugin.failure {
        guard failure != before?.failure else { continue }
        logger.error("a plugin can't be loaded", .text("plugin", plugin.name), .text("reason", failure))
      } else if plugin.load != before?.load || before?.rejection != nil {
        logger.info(
          "a plugin is loaded", .text("plugin", plugin.name), .text("version", plugin.version ?? ""),
          .flag("isolated", plugin.process != nil))
      }
    }
  }
}

extension Logger {
  /// A problem of a file, once, with its place.
  func report(_ problem: Problem) {
    let level: LogLevel = problem.severity == .warning ? .warning : .error
    log(
      level, "a file has a problem",
      [
        .text("file", problem.file), .integer("line", problem.line), .integer("column", problem.column),
        .text("severity", problem.severity.rawValue), .text("code", problem.code.rawValue),
        .text("problem", problem.message),
      ])
  }
}
