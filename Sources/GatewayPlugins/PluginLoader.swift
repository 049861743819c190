import GatewayBase
import GatewayConfig
import ProviderKit

/// Keeps the plugins of a folder as its files are. What did not change stays as it is; where a changed plugin can't be
/// used, its last good version goes on, and says so.
///
/// Requests under way end on the provider with which they began: it lives as long as they hold it.
package final class PluginLoader: Sendable {
  private struct Kept {
    let manifest: PluginManifest
    let library: String
    let plugin: Plugin
  }

  private struct State {
    var catalog = PluginCatalog([])
    /// The plugins that could be used, by their folder's name.
    var kept: [String: Kept] = [:]
    /// Libraries whose trial load went well, with name and version.
    var tried: Set<[String]> = []
    var loads = 0
  }

  private let folder: String
  private let host: PluginHost
  private let logger: Logger?
  private let copies: LibraryCopies
  private let state = Locked(State())
  /// Where each plugin's library may be, by its folder's name. Apart from the rest, as a load takes its time.
  private let places = Locked<[String: [String]]>([:])

  /// - Parameters:
  ///   - folder: each of its sub-folders with a `plugin.yaml` is a plugin. An absent folder holds none.
  ///   - logger: is told how the processes of isolated plugins end.
  package init(folder: String, host: PluginHost = .current, logger: Logger? = nil) {
    self.folder = folder
    self.host = host
    self.logger = logger
    copies = LibraryCopies(executableFolder: host.folder)
  }

  /// Libraries that this process has taken in since it began; none of them is ever unloaded.
  package var libraries: Int { copies.count }

  /// Removes what was written for the plugins. What is loaded goes on.
  package func finish() { copies.remove() }

  /// What there is to notice of the folder: equal as long as no file of it has changed.
  package func picture() -> PluginPicture {
    let places = places.withLock { $0 }
    var stamps: [String: FileStamp] = [:]
    for name in (try? PluginFolder.names(in: folder)) ?? [] {
      for path in ["\(folder)/\(name)/plugin.yaml"] + (places[name] ?? []) { stamps[path] = FileStamp(path: path) }
    }
    return PluginPicture(stamps: stamps)
  }

  /// Reads all files and loads what has changed. It blocks for as long as the slowest trial load takes: not for an event
  /// loop. Calls wait for each other.
  ///
  /// - Parameter publish: gets the catalog that was, and the new one, in the order of the calls.
  @discardableResult
  package func load(publish: (_ old: PluginCatalog, _ new: PluginCatalog) -> Void = { _, _ in }) -> PluginCatalog {
    state.withLock { state in
      let old = state.catalog
      state.catalog = load(&state)
      publish(old, state.catalog)
      return state.catalog
    }
  }

  private func load(_ state: inout State) -> PluginCatalog {
    let names: [String]
    do throws(FileSystem.Fault) {
      names = try PluginFolder.names(in: folder)
    } catch {
      let reason = "the folder \(folder) can't be read: \(error.reason)"
      return PluginCatalog(state.catalog.plugins, folderFailure: reason, copies: copies)
    }
    var candidates = names.enumerated().map { index, name in
      PluginCandidate(
        folder: "\(folder)/\(name)", name: name, isBeyondLimit: index >= Limits.plugins, host: host, copies: copies)
    }
    let found = Dictionary(uniqueKeysWithValues: zip(names, candidates.map(\.places)))
    places.withLock { $0 = found }
    PluginCandidate.refuseDuplicates(in: &candidates) { state.kept[$0.folderName] != nil }
    for index in candidates.indices where !isKept(candidates[index], state) {
      candidates[index].start(host: host, logger: logger)
    }
    tryLoading(&candidates, &state)
    let plugins = candidates.map { plugin(of: $0, &state) }
    state.kept = state.kept.filter { Set(names).contains($0.key) }
    return PluginCatalog(plugins, copies: copies)
  }

  private func tryLoading(_ candidates: inout [PluginCandidate], _ state: inout State) {
    let untried = candidates.indices.filter { index in
      // Where an isolated one can't be loaded its own process tells.
      guard !candidates[index].isIsolated else { return false }
      return candidates[index].library.map { !state.tried.contains([$0.path, $0.name, $0.version]) } ?? false
    }
    let trials = TrialBatch.run(
      untried.compactMap { index in candidates[index].library.map { ($0.path, $0.name, $0.version) } }, host: host)
    for (trial, failure) in trials { candidates[untried[trial]].fail(failure) }
    for index in untried {
      if let library = candidates[index].library { state.tried.insert([library.path, library.name, library.version]) }
    }
  }

  /// Whether nothing of a plugin has changed since it was loaded.
  private func isKept(_ candidate: PluginCandidate, _ state: State) -> Bool {
    guard let kept = state.kept[candidate.folderName] else { return false }
    return candidate.manifest == kept.manifest && candidate.library?.path == kept.library
  }

  private func plugin(of candidate: PluginCandidate, _ state: inout State) -> Plugin {
    let kept = state.kept[candidate.folderName]
    if let kept, isKept(candidate, state) { return kept.plugin }
    var plugin = candidate.loaded()
    if let failure = plugin.failure {
      guard var last = kept?.plugin else { return plugin }
      last.rejection = failure
      return last
    }
    state.loads += 1
    plugin.load = state.loads
    if let manifest = candidate.manifest, let library = candidate.library {
      state.kept[candidate.folderName] = Kept(manifest: manifest, library: library.path, plugin: plugin)
    }
    return plugin
  }
}

/// What was seen of the files of all plugins.
package struct PluginPicture: Sendable, Equatable {
  let stamps: [String: FileStamp]
}
