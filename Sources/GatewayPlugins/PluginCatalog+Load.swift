import GatewayBase
import GatewayConfig
import ProviderKit

extension PluginCatalog {
  /// Finds, checks and loads every plugin of a folder. What can't be loaded is a plugin in state `failed`, never an
  /// error of the whole.
  ///
  /// It blocks for as long as the slowest trial load takes: not for an event loop.
  ///
  /// - Parameter folder: each of its sub-folders with a `plugin.yaml` is a plugin. An absent folder holds none.
  package static func load(folder: String, host: PluginHost = .current) -> PluginCatalog {
    let names: [String]
    do throws(FileSystem.Fault) {
      names = try PluginFolder.names(in: folder)
    } catch {
      return PluginCatalog([], folderFailure: "the folder \(folder) can't be read: \(error.reason)")
    }
    var candidates = names.enumerated().map { index, name in
      PluginCandidate(folder: "\(folder)/\(name)", name: name, isBeyondLimit: index >= Limits.plugins, host: host)
    }
    refuseDuplicates(in: &candidates)

    let hopeful = candidates.indices.filter { candidates[$0].library != nil }
    let trials = TrialBatch.run(
      hopeful.compactMap { index in candidates[index].library.map { ($0.path, $0.name, $0.version) } }, host: host)
    for (trial, failure) in trials { candidates[hopeful[trial]].fail(failure) }
    return PluginCatalog(candidates.map { $0.loaded() })
  }

  /// A name and a route belong to the first plugin that has them.
  private static func refuseDuplicates(in candidates: inout [PluginCandidate]) {
    var names: [String: String] = [:]
    var routes: [String: String] = [:]
    for index in candidates.indices {
      let candidate = candidates[index]
      guard let manifest = candidate.manifest else { continue }
      if let owner = names[manifest.name] {
        candidates[index].fail(PluginFailure("the plugin in \(owner) has the same name"))
        continue
      }
      names[manifest.name] = candidate.folder
      for route in manifest.routes {
        let text = "\(route.method) \(route.path)"
        if let owner = routes[text] {
          candidates[index].fail(PluginFailure("\(owner) has the route \(text) already"))
        } else {
          routes[text] = manifest.name
        }
      }
    }
  }
}
