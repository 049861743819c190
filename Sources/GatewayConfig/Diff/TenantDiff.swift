import GatewayBase

/// What a change of the folder of tenants would do to a gateway that runs on the old one: found by the same set that
/// the gateway keeps, which takes the new files one after the other.
package struct TenantDiff: Sendable {
  /// What becomes of one file.
  package struct File: Sendable {
    package enum Kind: String, Sendable { case added, removed, changed }

    package let kind: Kind
    /// As the new side names it; as the old one where it is gone.
    package let path: String
    /// The app that is loaded of it afterwards; of a removed one, before.
    package let app: Int64?
    package let name: String?
    /// Nil of a removed file.
    package let state: TenantSet.State?
    package let keys: [KeyChange]
    /// Whether the app is another one than before.
    package let hasEffect: Bool
    /// Of the new version.
    package let problems: [Problem]
  }

  /// Something that one app had and another one has.
  package struct Move: Sendable, Equatable {
    /// `the domain …`.
    package let what: String
    package let from: Int64
    package let to: Int64
  }

  /// A bundle ID that came into a conflict or out of one.
  package struct Conflict: Sendable, Equatable {
    package let bundleID: String
    /// The apps that list it then; one or none where the conflict is over.
    package let apps: [Int64]
  }

  package private(set) var files: [File] = []
  package private(set) var moves: [Move] = []
  package private(set) var conflicts: [Conflict] = []

  /// Whether something of the change would not be taken, or an app would not be loaded any more for want of what it
  /// claims.
  package var fails: Bool {
    files.contains { $0.state == .refused || $0.state == .stale } || conflicts.contains { $0.apps.count > 1 }
  }

  /// Compares two sides.
  ///
  /// - Parameters:
  ///   - reserved: the gateway's own hosts.
  ///   - environment: the variables that secrets may come from.
  ///   - history: who had what first, for a gateway that has these files, under their names in the folder.
  package static func between(
    _ old: TenantTexts, _ new: TenantTexts, reserved: Set<HostName>, environment: [String: String],
    history: ([TenantFile]) -> ClaimHistory = { _ in ClaimHistory() }
  ) -> TenantDiff {
    func read(_ tree: TenantTexts, _ name: String) -> TenantFile {
      // Both sides under one name: it is one file of the gateway's.
      TenantFile.read(tree.path(name), bytes: tree.texts[name] ?? [], environment: environment).renamed(name)
    }
    let files = old.texts.keys.map { read(old, $0) }
    var set = TenantSet.assemble(files, reserved: reserved, history: history(files))
    let before = set
    let names = Set(old.texts.keys).union(new.texts.keys).filter { old.texts[$0] != new.texts[$0] }.sorted()
    var change = TenantSet.Change()
    for name in names {
      let step = new.texts[name] == nil ? set.remove(name) : set.update(read(new, name))
      change.bundleIDs.formUnion(step.bundleIDs)
    }
    var diff = TenantDiff()
    diff.files = names.map { file($0, old, new, before, set) }
    diff.moves = moves(before, set)
    diff.conflicts = change.bundleIDs.sorted().compactMap { bundleID in
      let apps = set.bundleConflicts[bundleID] ?? []
      return apps == before.bundleConflicts[bundleID] ?? [] ? nil : Conflict(bundleID: bundleID, apps: apps)
    }
    return diff
  }

  private static func file(
    _ name: String, _ old: TenantTexts, _ new: TenantTexts, _ before: TenantSet, _ after: TenantSet
  ) -> File {
    let kind: File.Kind = old.texts[name] == nil ? .added : new.texts[name] == nil ? .removed : .changed
    let (was, becomes) = (before.tenant(at: name), after.tenant(at: name))
    let tenant = becomes ?? was
    let state = after.state(of: name)
    let path = (kind == .removed ? old : new).path(name)
    let keys =
      kind == .changed
      ? KeyComparison.changes(from: tree(old, name), to: tree(new, name), files: (old.path(name), new.path(name))) : []
    return File(
      kind: kind, path: path, app: tenant?.appID, name: tenant?.name, state: state, keys: keys,
      hasEffect: was != becomes,
      problems: after.problems(of: name).map { $0.file == name ? $0.renamed(path) : $0 }.sorted())
  }

  private static func tree(_ tree: TenantTexts, _ name: String) -> Node? {
    YAMLReader.read(tree.texts[name] ?? [], Diagnostics(file: name))
  }

  private static func moves(_ before: TenantSet, _ after: TenantSet) -> [Move] {
    before.owners.compactMap { claim, file -> Move? in
      guard claim.kind != .app, let other = after.owners[claim], let from = before.tenant(at: file)?.appID,
        let to = after.tenant(at: other)?.appID, from != to
      else { return nil }
      return Move(what: claim.phrase, from: from, to: to)
    }.sorted { ($0.what, $0.from) < ($1.what, $1.from) }
  }
}

extension TenantFile {
  /// The same file under another path; its own problems keep the place where they are.
  fileprivate func renamed(_ path: String) -> TenantFile {
    TenantFile(path: path, shared: shared, problems: problems, claims: claims, providers: providers)
  }
}

extension Problem {
  fileprivate func renamed(_ file: String) -> Problem {
    Problem(
      file: file, place: Place(line: line, column: column), severity: severity, code: code, message: message, hint: hint
    )
  }
}
