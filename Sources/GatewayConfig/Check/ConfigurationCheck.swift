import GatewayBase

/// What `check` found.
package struct CheckResult: Sendable {
  /// Of the files that were asked for, sorted by file and place.
  package let problems: [Problem]
  /// How many files were judged.
  package let files: Int

  package var report: ProblemReport { ProblemReport(problems) }
}

/// Checks configuration files without a running gateway: nothing is opened, started or changed.
package struct ConfigurationCheck {
  private let environment: [String: String]
  private let gateway: GatewayFile
  private let paths: [String]

  /// - Parameters:
  ///   - gatewayPath: the file of `--config`; nil for `gateway.yaml` in the working folder where it is there.
  ///   - paths: files and folders to judge, still against all others; none: everything.
  ///   - environment: of the process that will serve.
  package static func run(gatewayPath: String?, paths: [String], environment: [String: String]) -> CheckResult {
    let gateway = GatewayFile.read(gatewayPath, environment: environment)
    let check = ConfigurationCheck(environment: environment, gateway: gateway, paths: paths)
    return paths.isEmpty ? check.everything() : check.selection()
  }

  private init(environment: [String: String], gateway: GatewayFile, paths: [String]) {
    self.environment = environment
    self.gateway = gateway
    self.paths = paths
  }

  private func everything() -> CheckResult {
    let folder = TenantFolder.load(gateway.configuration.tenants, environment: environment)
    let plugins = PluginFolder.read(gateway.configuration.plugins)
    let set = TenantSet.assemble(folder.files, reserved: gateway.configuration.reservedHosts)
    let found =
      gateway.problems + folder.problems + plugins.problems + set.problems + unknownProviders(folder.files, plugins)
    return CheckResult(
      problems: found.sorted(), files: folder.files.count + plugins.paths.count + (gateway.path == nil ? 0 : 1))
  }

  /// Sorts the paths into kinds of files, and reports those problems that are in them.
  private func selection() -> CheckResult {
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
    return CheckResult(
      problems: (problems + tenantProblems(asked)).sorted(), files: files + asked.count)
  }

  private func tenantProblems(_ asked: Set<String>) -> [Problem] {
    guard !asked.isEmpty else { return [] }
    func read(_ paths: Set<String>) -> [TenantFile] {
      paths.sorted().map { TenantFile.read($0, environment: environment) }
    }
    let deployed = read(Set(TenantFolder.list(gateway.configuration.tenants).paths.map(FilePath.normalized)))
    let others = read(asked.subtracting(deployed.map(\.path)))
    var set = TenantSet.assemble(deployed, reserved: gateway.configuration.reservedHosts)
    // A file from elsewhere comes behind those that are in the folder: what they have is theirs.
    for file in others { set.update(file) }
    let files = deployed.filter { asked.contains($0.path) } + others
    let plugins = PluginFolder.read(gateway.configuration.plugins)
    return asked.flatMap { set.problems(of: $0) } + unknownProviders(files, plugins)
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
}
