import Glibc
import ProviderKit

/// Loads the library of a plugin into this process, for good: a library is never unloaded, because the Swift runtime
/// keeps references into it.
enum PluginLibrary {
  /// - Parameters:
  ///   - path: the library, whose note was found right. Its constructors run.
  ///   - name: what the provider must call itself.
  ///   - version: what the provider must call its version.
  static func load(path: String, name: String, version: String) throws(PluginFailure) -> any Provider {
    guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
      throw PluginFailure("the library can't be loaded: \(loaderError())")
    }
    guard let symbol = unsafe dlsym(handle, ProviderEntry.symbol) else {
      throw PluginFailure("the library has no public @c(\(ProviderEntry.symbol)) function")
    }
    typealias Entry = @convention(c) () -> UnsafeMutableRawPointer?
    guard let object = unsafe unsafeBitCast(symbol, to: Entry.self)() else {
      throw PluginFailure("\(ProviderEntry.symbol) returned nothing")
    }
    // The cast fails for an object of another copy of ProviderKit, whose types only look alike.
    guard let entry = unsafe Unmanaged<AnyObject>.fromOpaque(object).takeRetainedValue() as? ProviderEntry else {
      throw PluginFailure("\(ProviderEntry.symbol) returned another object than this gateway's ProviderEntry")
    }
    let manifest = entry.provider.manifest
    guard manifest.name == name, manifest.version == version else {
      throw PluginFailure(
        "the library is \(printable(manifest.name)) \(printable(manifest.version)), "
          + "plugin.yaml says \(name) \(version)")
    }
    return entry.provider
  }

  private static func loaderError() -> String {
    guard let text = unsafe dlerror() else { return "no reason given" }
    return printable(unsafe String(cString: text))
  }
}

/// `text` on one line: what comes from a library can hold anything.
func printable(_ text: String) -> String {
  String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
}
