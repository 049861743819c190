import GatewayBase
import GatewayCrypto

/// Makes a tenant of the tree of its file, and finds what it claims.
enum TenantDecoder {
  struct Decoded {
    /// With placeholders for what is wrong: of use only where no error was reported.
    var configuration: TenantConfiguration?
    var claims: [PlacedClaim] = []
    var providers: [Placed<String>] = []
  }

  static func decode(_ root: Node, _ diagnostics: Diagnostics) -> Decoded {
    guard let reader = MappingReader(root, TenantKeys.schema, diagnostics) else { return Decoded() }
    let appID = reader[TenantKeys.appID]
    let domains = reader[TenantKeys.domains] ?? []
    let ios = reader[TenantKeys.ios]
    let serverKeys = reader[TenantKeys.serverKeys]
    let (backends, routes) = readRoutes(reader)
    diagnostics.checkUnique(domains, "domain", code: .duplicateDomain)
    diagnostics.checkUnique(
      serverKeys.map { Placed(value: $0.value.id, place: $0.place) }, "server key's ID")
    let providers = reader[TenantKeys.providers]
    diagnostics.checkUnique(providers, "provider")
    let requestFrom = reader[TenantKeys.requestFrom]
    if reader.has(TenantKeys.requestFrom.row) { diagnostics.checkUnique(requestFrom, "value") }

    var claims: [PlacedClaim] = []
    if let appID { claims.append(PlacedClaim(.app, String(appID.value), at: appID.place)) }
    claims += domains.map { PlacedClaim(.domain, $0.value.description, at: $0.place) }
    claims += serverKeys.map { PlacedClaim(.serverKey, fingerprint($0.value.source, diagnostics), at: $0.place) }
    claims += (ios?.bundleIDs ?? []).map { PlacedClaim(.bundleID, $0.value, at: $0.place) }
    // Apple has one namespace for both, and asks a visitor in the name of whose Services ID it is.
    claims += (ios?.servicesID).map { [PlacedClaim(.bundleID, $0.value, at: $0.place)] } ?? []
    claims += (ios?.urlSchemes ?? []).map { PlacedClaim(.urlScheme, $0.value, at: $0.place) }

    let name = reader[TenantKeys.name]
    let configuration = TenantConfiguration(
      appID: appID?.value ?? 0, name: name ?? "", logo: reader[TenantKeys.logo], domains: domains.map(\.value),
      owner: reader[TenantKeys.owner],
      ios: ios?.configuration ?? IOSConfiguration(), redirects: reader[TenantKeys.redirects],
      providers: providers.map(\.value), relay: reader[TenantKeys.relay],
      sessions: reader[TenantKeys.sessions], usage: reader[TenantKeys.usage], serverKeys: serverKeys.map(\.value),
      backends: backends, routes: routes, cors: reader[TenantKeys.cors],
      requestFrom: reader.has(TenantKeys.requestFrom.row) ? requestFrom.map(\.value) : usualRequestFrom,
      paths: reader[TenantKeys.paths], methodOverride: reader[TenantKeys.methodOverride],
      onClientGone: reader[TenantKeys.onClientGone])
    return Decoded(configuration: configuration, claims: unique(claims), providers: providers)
  }

  /// Held once by all apps that say nothing of it.
  private static let usualRequestFrom = TenantKeys.requestFrom.fallback.map(\.value)

  private static func readRoutes(_ reader: MappingReader) -> ([BackendConfiguration], [RouteConfiguration]) {
    let diagnostics = reader.diagnostics
    let backends = (reader[TenantKeys.backends] ?? []).map { $0.value.named($0.name) }
    let drafts = reader[TenantKeys.routes] ?? []
    let written = reader.names(under: TenantKeys.backends)
    let routes = drafts.compactMap { draft -> RouteConfiguration? in
      guard let name = draft.backend else { return nil }
      guard let index = backends.firstIndex(where: { $0.name == name.value }) else {
        // A backend that is there, but wrong, was reported where it stands.
        if !written.contains(name.value) { reportUnknown(name, written, diagnostics) }
        return nil
      }
      var route = draft.route
      route.backend = index
      return route
    }
    let paths = drafts.compactMap(\.path)
    diagnostics.checkUnique(paths, "path")
    if reader[TenantKeys.paths] == .opaque, let path = paths.first(where: { $0.value != "/" }) {
      diagnostics.invalid(
        path.place, "a rule depends on the path, but `paths` is `opaque`",
        hint: "keep one route for /, or remove paths: opaque")
    }
    return (backends, routes)
  }

  private static func reportUnknown(_ name: Placed<String>, _ backends: [String], _ diagnostics: Diagnostics) {
    let hint =
      nearest(to: name.value, among: backends).map { "did you mean `\($0)`?" }
      ?? (backends.isEmpty ? "add it under backends" : "known here: \(backends.joined(separator: ", "))")
    diagnostics.error(.unknownBackend, at: name.place, "there is no backend \(Quoted(name.value))", hint: hint)
  }

  /// Tells equal server keys apart from others without holding them: by value where the secret is there, the same on
  /// every node and after every start, else by its source. A key is random and long, so its digest tells nobody what it is.
  private static func fingerprint(_ source: SecretSource, _ diagnostics: Diagnostics) -> String {
    if let secret = source.resolve(environment: diagnostics.environment) {
      return digest(Array("speed-gateway server key\0".utf8) + secret.reveal())
    }
    let (kind, name) =
      switch source {
      case .environment(let name): ("env", name)
      case .file(let path): ("file", path)
      }
    return TenantClaim.unresolved + digest(Array("\(kind)\0\(name)".utf8))
  }

  private static func digest(_ bytes: [UInt8]) -> String { Hex.encode(Array(Digest.sha256(bytes).prefix(16))) }

  /// Each claim once; a repeat within the file was reported.
  private static func unique(_ claims: [PlacedClaim]) -> [PlacedClaim] {
    guard claims.count > 16 else {
      return claims.indices.filter { index in
        !claims[..<index].contains { $0.claim == claims[index].claim }
      }.map { claims[$0] }
    }
    var seen: Set<TenantClaim> = []
    return claims.filter { seen.insert($0.claim).inserted }
  }
}
