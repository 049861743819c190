import GatewayBase

/// `gateway.yaml` with the environment over it.
package struct GatewayFile: Sendable {
  /// The name under which the file is looked for when none is given.
  package static let defaultPath = "gateway.yaml"

  /// Nil where there is no file and defaults hold.
  package let path: String?
  /// With defaults in place of what is wrong: a gateway must not run on it unless `isUsable`.
  package let configuration: GatewayConfiguration
  package let problems: [Problem]

  package var isUsable: Bool { !problems.contains { $0.severity == .error } }

  /// - Parameters:
  ///   - path: the file; nil for `gateway.yaml` in the working folder where it is there.
  ///   - environment: `SPEED_…` overrides, and the variables that secrets may come from.
  package static func read(_ path: String?, environment: [String: String]) -> GatewayFile {
    let found = path ?? ((try? FileSystem.kind(of: defaultPath)) == .absent ? nil : defaultPath)
    let diagnostics = Diagnostics(file: found ?? "", environment: environment)
    guard found != nil else { return decode(.nothing, nil, diagnostics) }
    return read(diagnostics.bytes(), found, diagnostics)
  }

  /// The same, for bytes that are at hand.
  package static func read(_ path: String, bytes: [UInt8], environment: [String: String]) -> GatewayFile {
    read(bytes, path, Diagnostics(file: path, environment: environment))
  }

  private static func read(_ bytes: [UInt8]?, _ path: String?, _ diagnostics: Diagnostics) -> GatewayFile {
    let root = bytes.flatMap { YAMLReader.read($0, diagnostics) }
    if let root { PlainSecret.search(root, diagnostics) }
    return decode(root ?? .nothing, path, diagnostics)
  }

  private static func decode(_ root: Node, _ path: String?, _ diagnostics: Diagnostics) -> GatewayFile {
    let overridden = EnvironmentOverrides.apply(to: root, GatewayKeys.schema, diagnostics)
    let reader = MappingReader(overridden, GatewayKeys.schema, diagnostics)
    let configuration = GatewayDecoder.decode(reader, diagnostics)
    return GatewayFile(path: path, configuration: configuration, problems: diagnostics.problems)
  }
}

extension Node {
  /// A file without keys.
  fileprivate static var nothing: Node { Node(content: .mapping([]), place: .start) }
}

/// Makes the process's configuration of the tree of its file.
enum GatewayDecoder {
  static func decode(_ reader: MappingReader?, _ diagnostics: Diagnostics) -> GatewayConfiguration {
    func path(_ key: Key<String>, _ fallback: String) -> String {
      reader?[key] ?? diagnostics.resolved(fallback, at: .start)
    }
    let listeners = reader?[GatewayKeys.listen] ?? []
    diagnostics.checkUnique(
      listeners.filter { $0.value.address.port != 0 }.map { Placed(value: $0.value.address, place: $0.place) },
      "address")
    let listen =
      listeners.isEmpty
      ? [ListenerConfiguration(address: .loopback(port: 8080), tls: [])] : listeners.map(\.value)
    return GatewayConfiguration(
      listen: listen,
      admin: reader?[GatewayKeys.admin] ?? GatewayKeys.admin.fallback,
      platform: platform(reader?[GatewayKeys.platform], listen),
      store: reader?[GatewayKeys.store]
        ?? StoreConfiguration(
          location: .sqlite(path: diagnostics.resolved("var/gateway.db", at: .start)), password: nil),
      tenants: path(GatewayKeys.tenants, "tenants"),
      plugins: path(GatewayKeys.plugins, "plugins"),
      tokenKeys: reader?[GatewayKeys.tokens]?.keys ?? diagnostics.resolved("var/keys", at: .start),
      sealingKeys: reader?[GatewayKeys.tokens]?.sealingKeys ?? diagnostics.resolved("var/sealing", at: .start),
      apple: reader?[GatewayKeys.apple] ?? AppleConfiguration(issuer: nil),
      mail: reader?[GatewayKeys.mail],
      trustedProxies: reader?[GatewayKeys.trustedProxies] ?? [],
      log: reader?[GatewayKeys.log] ?? LogConfiguration(),
      audit: reader?[GatewayKeys.audit] ?? GatewayKeys.audit.fallback,
      limits: reader?[GatewayKeys.limits] ?? LimitConfiguration(),
      drain: reader?[GatewayKeys.drain] ?? DrainConfiguration(),
      handover: handover(reader?[GatewayKeys.handover], diagnostics),
      loops: (reader?[GatewayKeys.loops]).map { Int($0) })
  }

  private static func handover(_ draft: HandoverDraft?, _ diagnostics: Diagnostics) -> String? {
    switch draft {
    case .off: nil
    case .socket(let path): path
    case nil: diagnostics.resolved("var/handover.sock", at: .start)
    }
  }

  private static func platform(_ draft: PlatformDraft?, _ listen: [ListenerConfiguration]) -> PlatformConfiguration {
    let localhost = HostName(literal: "localhost")
    let local = [localhost, HostName(literal: "127.0.0.1")]
    let publicURL =
      draft?.publicURL ?? draft?.apiHosts?.first.map { ServiceURL(scheme: .https, host: URLHost($0)) }
      ?? ServiceURL(
        scheme: .http, host: .name(localhost), port: listen.first.map(\.address.port).flatMap { $0 == 0 ? nil : $0 })
    return PlatformConfiguration(
      apiHosts: draft?.apiHosts ?? local, dashHosts: draft?.dashHosts ?? local, publicURL: publicURL)
  }
}
