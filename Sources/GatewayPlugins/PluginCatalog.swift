import GatewayConfig

/// The plugins of a gateway, found by name or by route. The gateway knows no provider otherwise.
package struct PluginCatalog: Sendable {
  /// By folder name, in the order of its bytes.
  package let plugins: [Plugin]
  /// Why the folder of plugins could not be read, where it could not.
  package let folderFailure: String?

  /// The files from which it was loaded stay as long as it does.
  private let copies: LibraryCopies?

  private let byName: [String: Int]
  private let byPath: [String: [String: Int]]

  /// - Parameter plugins: where two have one name or one route, the first has it.
  init(_ plugins: [Plugin], folderFailure: String? = nil, copies: LibraryCopies? = nil) {
    self.plugins = plugins
    self.folderFailure = folderFailure
    self.copies = copies
    byName = Dictionary(plugins.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    var byPath: [String: [String: Int]] = [:]
    for (index, plugin) in plugins.enumerated() {
      for route in plugin.routes where byPath[route.path]?[route.method] == nil {
        byPath[route.path, default: [:]][route.method] = index
      }
    }
    self.byPath = byPath
  }

  /// The plugin of a provider's name, loaded or not.
  package func plugin(named name: String) -> Plugin? { byName[name].map { plugins[$0] } }

  /// The plugin that serves a request, loaded or not.
  package func plugin(method: String, path: String) -> Plugin? { byPath[path]?[method].map { plugins[$0] } }

  /// What a request to this path is for, where a plugin serves it.
  package func purpose(method: String, path: String) -> PluginRoute.Purpose? {
    plugin(method: method, path: path)?.routes.first { $0.method == method && $0.path == path }?.purpose
  }

  /// The methods that plugins serve at a path, for `Allow`; empty where no plugin has the path.
  package func methods(path: String) -> [String] { (byPath[path] ?? [:]).keys.sorted() }

  /// Whether everything in the folder of plugins can be used.
  package var isComplete: Bool { folderFailure == nil && plugins.allSatisfy { $0.failure == nil } }
}
