import GatewayBase

/// What `check` found.
package struct CheckResult: Sendable {
  /// Of the files that were asked for, sorted by file and place.
  package let problems: [Problem]
  /// How many files were judged.
  package let files: Int
  /// The gateway's file, and the tenants among the files that were asked for.
  package let gateway: GatewayFile
  package let tenants: [TenantFile]

  package var report: ProblemReport { ProblemReport(problems) }
}

/// Checks configuration files without a running gateway: nothing is opened, started or changed.
package struct ConfigurationCheck {
  private let environment: [String: String]
  private let gateway: GatewayFile
  private let paths: [String]
  private let read: @Sendable ([String]) async -> [TenantFile]

  /// - Parameters:
  ///   - gatewayPath: the file of `--config`; nil for `gateway.yaml` in the working folder where it is there.
  ///   - paths: files and folders to judge, still against all others; none: everything.
  ///   - environment: of the process that will serve.
  ///   - cache: of earlier runs; what has not changed since is not read again.
  package static func run(
    gatewayPath: String?, paths: [String], environment: [String: String], cache: TenantCache = TenantCache(),
    progress: TenantCache.Progress? = nil
  ) async -> CheckResult {
    let gateway = GatewayFile.read(gatewayPath, environment: environment)
    let check = ConfigurationCheck(
      environment: environment, gateway: gateway, paths: paths,
      read: { await cache.files($0, environment: environment, progress: progress) })
    return paths.isEmpty ? await check.everything() : await check.selection()
  }

  private init(
    environment: [String: String], gateway: GatewayFile, paths: [String],
    read: @escaping @Sendable ([String]) async -> [TenantFile]
  ) {
    self.environment = environment
    self.gateway = gateway
    self.paths = paths
    self.read = read
  }

  private func everything() async -> CheckResult {
    let listing = TenantFolder.list(gateway.configuration.tenants)
    let files = await read(listing.paths)
    let plugins = PluginFolder.read(gateway.configuration.plugins)
    let set = TenantSet.assemble(files, reserved: gateway.configuration.reservedHosts)
    let found =
      gateway.problems + listing.problems + plugins.problems + set.problems + unknownProviders(files, plugins)
      + silentProviders(files, plugins)
    return CheckResult(
      problems: found.sorted(), files: files.count + plugins.paths.count + (gateway.path == nil ? 0 : 1),
      gateway: gateway, tenants: files)
  }

  /// Sorts the paths into kinds of files, and reports those problems that are in them.
  private func selection() async -> CheckResult {
    var problems: [Problem] = []
    var tenantPaths: [String] = []
    var files = 0
    for path in paths {
      switch try? FileSystem.kind(of: path) {
      case .folder:
        let listed = TenantFolder.list(path)
        tenantPaths += listed.paths
        problems += listed.problems
      case .file, .absent, .other, nil:
        files += 1
        switch FilePath.lastComponent(path) {
        case "plugin.yaml": problems += PluginManifest.read(path).1
        case _ where path == gateway.path: problems += gateway.problems
        case "gateway.yaml": problems += GatewayFile.read(path, environment: environment).problems
        default:
          files -= 1
          tenantPaths.append(path)
        }
      }
    }
    let asked = Set(tenantPaths.map(FilePath.normalized))
    let tenants = asked.isEmpty ? (files: [], problems: []) : await judge(asked)
    return CheckResult(
      problems: (problems + tenants.problems).sorted(), files: files + asked.count, gateway: gateway,
      tenants: tenants.files)
  }

  private func judge(_ asked: Set<String>) async -> (files: [TenantFile], problems: [Problem]) {
    let listed = Set(TenantFolder.list(gateway.configuration.tenants).paths.map(FilePath.normalized))
    let all = await read(listed.union(asked).sorted())
    let (deployed, others) = (all.filter { listed.contains($0.path) }, all.filter { !listed.contains($0.path) })
    var set = TenantSet.assemble(deployed, reserved: gateway.configuration.reservedHosts)
    // A file from elsewhere comes behind those that are in the folder: what they have is theirs.
    for file in others { set.update(file) }
    let files = deployed.filter { asked.contains($0.path) } + others
    let plugins = PluginFolder.read(gateway.configuration.plugins)
    return (
      files,
      asked.flatMap { set.problems(of: $0) } + unknownProviders(files, plugins) + silentProviders(files, plugins)
    )
  }

  /// A provider that no plugin has: sign-in by it answers 503.
  private func unknownProviders(_ files: [TenantFile], _ plugins: PluginFolder) -> [Problem] {
    files.flatMap { file in
      file.providers.filter { !plugins.names.contains($0.value) }.map { provider in
        let known = plugins.names.sorted()
        let hint =
          nearest(to: provider.value, among: known).map { "did you mean `\($0)`?" }
          ?? "known here: \(known.isEmpty ? "none" : known.joined(separator: ", ")); sign-in by it answers 503"
        return Problem(
          file: file.path, place: provider.place, severity: .warning, code: .unknownProvider,
          message: "there is no plugin \(Quoted(provider.value))", hint: hint)
      }
    }
  }

  /// A provider that sends mail, where the gateway sends none.
  private func silentProviders(_ files: [TenantFile], _ plugins: PluginFolder) -> [Problem] {
    guard gateway.configuration.mail == nil else { return [] }
    return files.flatMap { file in
      file.providers.filter { plugins.senders.contains($0.value) }.map { provider in
        Problem(
          file: file.path, place: provider.place, severity: .warning, code: .missingKey,
          message: "the plugin \(Quoted(provider.value)) sends mail, and the gateway's file has no `mail`",
          hint: "add mail with smtp and from to gateway.yaml; until then its letters are not sent")
      }
    }
  }
}
