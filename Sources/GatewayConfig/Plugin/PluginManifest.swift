import GatewayBase

/// A request that a plugin answers.
package struct PluginRoute: Sendable, Equatable {
  /// What a route is for.
  package enum Purpose: String, Sendable, CaseIterable, CustomStringConvertible {
    /// Sign-ins of apps, on the API hosts.
    case signIn
    /// Messages of the provider's own service, on the API hosts; an app's number follows the path.
    case notices
    /// The page by which a sign-in in a browser begins, on the dash hosts.
    case web
    /// Where the provider sends the browser back to, on the dash hosts.
    case callback
    /// A page of the provider's own, on the dash hosts.
    case pages
    /// Tickets that carry a session into a web view, on the API hosts: the gateway answers itself, for apps that list the
    /// plugin.
    case tickets

    package var description: String { rawValue }
  }

  package let method: String
  /// In canonical form: exact, or ending in `/` where an app's number follows.
  package let path: String
  package let purpose: Purpose

  package init(method: String, path: String, purpose: Purpose = .signIn) {
    self.method = method
    self.path = path
    self.purpose = purpose
  }
}

/// What `plugin.yaml` says of a plugin, before its library is touched.
package struct PluginManifest: Sendable, Equatable {
  /// Where the plugin's code runs.
  package enum Isolation: String, Sendable, CaseIterable, CustomStringConvertible {
    /// In the gateway's process.
    case none
    /// In a supervised process of its own.
    case process

    package var description: String { rawValue }
  }

  package let name: String
  /// `major.minor.patch`.
  package let version: String
  /// The file name of its library, looked for beside the manifest, then beside the executable.
  package let library: String
  package let summary: String?
  package let routes: [PluginRoute]
  /// The section of `gateway.yaml` whose values it gets.
  package let settings: String?
  /// Whether it is of little use where the gateway sends no mail.
  package let sendsMail: Bool
  package let isolation: Isolation
  /// The memory that a process of its own may have.
  package let memory: ByteSize
  /// How long a call of it may take.
  package let timeout: Milliseconds

  package init(
    name: String, version: String, library: String, summary: String? = nil, routes: [PluginRoute],
    settings: String? = nil, sendsMail: Bool = false, isolation: Isolation = .none,
    memory: ByteSize = ByteSize(bytes: Limits.pluginMemory),
    timeout: Milliseconds = Milliseconds(Int64(Limits.pluginCall))
  ) {
    self.name = name
    self.version = version
    self.library = library
    self.summary = summary
    self.routes = routes
    self.settings = settings
    self.sendsMail = sendsMail
    self.isolation = isolation
    self.memory = memory
    self.timeout = timeout
  }

  /// The manifest at `path`, or nil with the errors that refuse it; warnings may come with either.
  package static func read(_ path: String) -> (PluginManifest?, [Problem]) {
    let diagnostics = Diagnostics(file: path)
    guard let bytes = diagnostics.bytes() else { return (nil, diagnostics.problems) }
    return read(path, bytes: bytes)
  }

  /// The same, for bytes that are at hand.
  package static func read(_ path: String, bytes: [UInt8]) -> (PluginManifest?, [Problem]) {
    let diagnostics = Diagnostics(file: path)
    let manifest = YAMLReader.read(bytes, diagnostics).flatMap {
      ValueType<PluginManifest>.pluginManifest.read($0, diagnostics)
    }
    return (diagnostics.hasErrors ? nil : manifest, diagnostics.problems)
  }
}
