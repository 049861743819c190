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
        plugin.failure.map { "failed: \($0)" } ?? "loaded",
      ]
    }
    return aligned([["NAME", "VERSION", "ABI", "STATE"]] + rows)
  }

  /// Columns two blanks apart, the last one not padded.
  private static func aligned(_ rows: [[String]]) -> String {
    let columns = rows[0].indices
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      columns.dropLast().map { row[$0] + String(repeating: " ", count: widths[$0] - row[$0].count + 2) }.joined()
        + row[columns.last ?? 0] + "\n"
    }.joined()
  }
}
