import GatewayBase
import ProviderKit

/// The catalog as text for people: name, version, ABI and state of each plugin.
package enum PluginTable {
  /// One line a plugin below a heading, or one line that says why there is none.
  package static func text(_ catalog: PluginCatalog) -> String {
    if let failure = catalog.folderFailure { return failure + "\n" }
    guard !catalog.plugins.isEmpty else { return "no plugins\n" }
    let rows = catalog.plugins.map { plugin in
      [
        plugin.name, plugin.version ?? "-", plugin.abi?.summary ?? "-",
        plugin.failure.map { "failed: \($0)" } ?? (plugin.process == nil ? "loaded" : "loaded, isolated"),
      ]
    }
    return TextTable.aligned([["NAME", "VERSION", "ABI", "STATE"]] + rows)
  }
}
