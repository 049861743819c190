import GatewayBase
import GatewayConfig
import GatewayIO

extension Command {
  static let diff = Command(
    "diff", "tell what a change of the folder of tenants would do to the gateway that runs on it",
    operands: Operands(name: "PATH", help: "NEW, or OLD and NEW: folders, or NEW one file", count: 0...2),
    options: [.git, .textOrJSON],
    notes: """
      diff              the folder of gateway.yaml as git has it, against what it holds now
      diff NEW          the folder of gateway.yaml against NEW; a file stands for the one of its name
      diff OLD NEW      one folder against another
      The store is asked who had a domain first. Where the gateway runs on this machine, its admin listener is asked
      for the files of which it runs an older version.
      Exit code 1 where something of the change would be refused, or a bundle ID comes into a conflict.
      """,
    example: "speed-gateway diff ../release/tenants",
    .action { invocation in
      let settings = try Settings(invocation)
      let (old, new) = try sides(invocation, settings.configuration.tenants)
      let claims = await settings.claims()
      let diff = TenantDiff.between(
        old, new, reserved: settings.configuration.reservedHosts, environment: settings.environment
      ) { files in (try? claims.get().history(of: files) { $0 }) ?? ClaimHistory() }
      let colours = StandardStream.output.showsColours(environment: invocation.environment)
      let running = await RunningTenants.ask(settings.configuration.admin, environment: settings.environment)
      let report = DiffReport(diff, claims: claims, running: running)
      try StandardStream.output.write(
        invocation[.textOrJSON] == "json" ? report.json : report.text(colours: colours))
      return diff.fails ? 1 : 0
    })

  private static func sides(_ invocation: Invocation, _ deployed: String) throws -> (TenantTexts, TenantTexts) {
    let paths = invocation.operands
    do throws(FileSystem.Fault) {
      switch paths.count {
      case 2:
        guard invocation[.git] == nil else { break }
        return (try TenantTexts(folder: paths[0]), try TenantTexts(folder: paths[1]))
      case 1:
        guard invocation[.git] == nil else { break }
        let old = try TenantTexts(folder: deployed)
        let isFile = try FileSystem.isFile(paths[0])
        return (old, isFile ? try old.replacing(with: paths[0]) : try TenantTexts(folder: paths[0]))
      default:
        let new = try TenantTexts(folder: deployed)
        let revision = invocation[.git] ?? "HEAD"
        guard let old = GitTree.read(deployed, revision: revision) else { break }
        return (old, new)
      }
    } catch {
      throw CommandFailure("a folder or file can't be read: \(error.reason)")
    }
    guard paths.isEmpty else { throw UsageError("--git goes without PATH") }
    throw CommandFailure("git has nothing of \(deployed) at \(invocation[.git] ?? "HEAD"): name NEW, or OLD and NEW")
  }
}

extension CommandOption {
  fileprivate static let git = CommandOption("git", "REVISION", "without PATH: what to compare with; by default HEAD")
}

/// A folder as git has it.
private enum GitTree {
  /// Nil where git does not have it, or is not there.
  static func read(_ folder: String, revision: String) -> TenantTexts? {
    // A revision that begins with a dash would be an option.
    guard !revision.hasPrefix("-") else { return nil }
    let archive = Subprocess.output(
      ["git", "-C", folder, "archive", "--format=tar", revision, "."], limit: Limits.gitArchive)
    return archive.flatMap(TarArchive.files).map { files in
      let names = files.map { name, bytes in (name.hasPrefix("./") ? String(name.dropFirst(2)) : name, bytes) }
      return TenantTexts(
        texts: Dictionary(names) { first, _ in first }, label: "\(revision):\(FilePath.join(folder, ""))")
    }
  }
}
