extension PluginCatalog {
  /// Finds, checks and loads every plugin of a folder, once. What can't be loaded is a plugin in state `failed`, never an
  /// error of the whole.
  ///
  /// It blocks for as long as the slowest trial load takes: not for an event loop.
  package static func load(folder: String, host: PluginHost = .current) -> PluginCatalog {
    PluginLoader(folder: folder, host: host).load()
  }
}

extension PluginCandidate {
  /// A name and a route belong to the first plugin that has them, and to one that serves already before all others.
  static func refuseDuplicates(in candidates: inout [PluginCandidate], serves: (PluginCandidate) -> Bool) {
    var names: [String: String] = [:]
    var routes: [String: String] = [:]
    let order =
      candidates.indices.filter { serves(candidates[$0]) } + candidates.indices.filter { !serves(candidates[$0]) }
    for index in order {
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
