import GatewayBase
import GatewayConfig
import ProviderKit

/// A plugin on its way to be loaded: what is known of it so far, and the first failure.
struct PluginCandidate {
  let folder: String
  let manifest: PluginManifest?
  let folderName: String
  /// Where its library may be, in the order in which it is looked for; empty where `plugin.yaml` can't be read.
  private(set) var places: [String] = []
  private var file: PluginFile?
  private var copy: String?
  private var failure: PluginFailure?
  private var process: IsolatedPlugin?

  /// Reads the manifest and the library's note.
  init(folder: String, name: String, isBeyondLimit: Bool, host: PluginHost, copies: LibraryCopies) {
    self.folder = folder
    folderName = name
    let (manifest, problems) = PluginManifest.read("\(folder)/plugin.yaml")
    self.manifest = manifest
    guard let manifest else {
      failure = PluginFailure(problems.first.map { "plugin.yaml: \($0.message)" } ?? "plugin.yaml can't be read")
      return
    }
    places = PluginFile.places(
      library: manifest.library, plugin: manifest.name, folder: folder, executableFolder: host.folder)
    do throws(PluginFailure) {
      if isBeyondLimit { throw PluginFailure("there are more than \(Limits.plugins) plugins") }
      let file = try PluginFile(library: manifest.library, plugin: manifest.name, places: places)
      self.file = file
      try file.checkABI()
      copy = try copies.path(of: file.bytes, plugin: manifest.name, original: file.path)
    } catch {
      failure = error
    }
  }

  /// What a load needs: a copy of the library that nobody changes, name and version; nil after a failure.
  var library: (path: String, name: String, version: String)? {
    guard failure == nil, let copy, let manifest else { return nil }
    return (copy, manifest.name, manifest.version)
  }

  mutating func fail(_ failure: PluginFailure) { self.failure = self.failure ?? failure }

  /// Whether it runs in a process of its own.
  var isIsolated: Bool { manifest?.isolation == .process }

  /// Starts the process of an isolated plugin, in the background, unless something failed before.
  mutating func start(host: PluginHost, logger: Logger?) {
    guard isIsolated, let library, let manifest else { return }
    do throws(PluginFailure) {
      process = try IsolatedPlugin(
        IsolatedLibrary(
          path: library.path, name: library.name, version: library.version, memory: UInt64(manifest.memory.bytes),
          timeout: UInt64(manifest.timeout.count)),
        host: host, logger: logger)
    } catch {
      fail(error)
    }
  }

  /// Loads the library into this process or waits for the process of its own, unless something failed before.
  func loaded() -> Plugin {
    var state = Plugin.State.failed(failure?.reason ?? "plugin.yaml can't be read")
    if let library {
      do throws(PluginFailure) {
        state = .loaded(
          isIsolated
            ? try isolated() : try PluginLibrary.load(path: library.path, name: library.name, version: library.version))
      } catch {
        state = .failed(error.reason)
      }
    }
    return Plugin(
      name: manifest?.name ?? folderName, version: manifest?.version, routes: manifest?.routes ?? [],
      settings: manifest?.settings, sendsMail: manifest?.sendsMail ?? false, abi: file?.abi,
      state: state)
  }

  private func isolated() throws(PluginFailure) -> any Provider {
    guard let process else { throw PluginFailure("its process was not started") }
    do throws(PluginFailure) {
      return try IsolatedProvider(process)
    } catch {
      process.stop()
      throw error
    }
  }
}
