import GatewayBase
import GatewayIO
import GatewayPlugins

/// Takes up plugins that appear, change or go, without a restart.
final class PluginWatch: Sendable {
  private let loader: PluginLoader
  private let state: PlatformState
  private let pool: BlockingPool
  private let logger: Logger
  private let changed: @Sendable (_ old: PluginCatalog, _ new: PluginCatalog) -> Void
  private let settling = Locked(PluginSettling())

  /// - Parameter changed: told of what is live, and of what was before.
  init(
    _ loader: PluginLoader, state: PlatformState, pool: BlockingPool, logger: Logger,
    changed: @escaping @Sendable (_ old: PluginCatalog, _ new: PluginCatalog) -> Void
  ) {
    self.loader = loader
    self.state = state
    self.pool = pool
    self.logger = logger
    self.changed = changed
  }

  /// Looks at the files four times a second.
  func run() async {
    while !Task.isCancelled {
      let picture = try? await pool.run { [loader] in loader.picture() }
      let now = MonotonicClock.nanoseconds / 1_000_000
      if let picture, settling.withLock({ $0.isDue(picture, now: now) }) { await reload() }
      try? await Task.sleep(nanoseconds: 250_000_000)
    }
  }

  /// Reads all files at once; returns when what they say is live.
  func reload() async {
    await Thread.run(name: "plugins") { [loader, state, logger, changed] in
      loader.load { old, new in
        state.plugins = new
        new.log(to: logger, after: old)
        changed(old, new)
      }
      if loader.libraries > Limits.pluginCopies / 2 {
        logger.warning(
          "many libraries of plugins were loaded since the start; none is ever unloaded: a restart frees them",
          .integer("libraries", loader.libraries), .integer("limit", Limits.pluginCopies))
      }
    }
  }
}
