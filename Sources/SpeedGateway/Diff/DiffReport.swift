import GatewayBase
import GatewayConfig
import GatewayServer

/// How `diff` tells what a change would do.
struct DiffReport {
  private let diff: TenantDiff
  /// Why who had what first is left out; nil where it is not.
  private let unknown: StoredClaims.Unknown?
  /// Nil where no gateway runs.
  private let running: RunningTenants?

  init(_ diff: TenantDiff, claims: Result<StoredClaims, StoredClaims.Unknown>, running: RunningTenants?) {
    self.diff = diff
    unknown = if case .failure(let unknown) = claims { unknown } else { nil }
    self.running = running
  }

  /// A line for each file, below it what changes in it and what is wrong with it; then what moves, and a summary.
  func text(colours: Bool) -> String {
    var out = ""
    for file in diff.files {
      let app = file.app.map { "  app \($0), \(file.name ?? "")" } ?? ""
      out += "\(mark(file, colours)) \(ProblemReport.printable(file.path + app))\(consequence(file))\n"
      let rows = file.keys.map { change in
        ["    \(sign(change.kind)) \(change.key)", value(change), change.place]
      }
      out += ProblemReport.printable(TextTable.aligned(rows))
      for problem in file.problems {
        let lines = ProblemReport([problem]).rendered(.text, colours: colours).split(separator: "\n")
        out += lines.map { "    \($0)\n" }.joined()
      }
    }
    for move in diff.moves { out += "\(move.what) moves from app \(move.from) to app \(move.to)\n" }
    for conflict in diff.conflicts { out += text(conflict) }
    return out + summary + "\n" + (unknown?.note ?? "") + (running?.text ?? "")
  }

  private func mark(_ file: TenantDiff.File, _ colours: Bool) -> String {
    let (mark, colour) =
      switch file.kind {
      case _ where file.state == .refused || file.state == .stale: ("!", "31")
      case .added: ("+", "32")
      case .removed: ("-", "31")
      case .changed: ("~", "33")
      }
    return colours ? "\u{1B}[1;\(colour)m\(mark)\u{1B}[0m" : mark
  }

  private func consequence(_ file: TenantDiff.File) -> String {
    switch (file.kind, file.state) {
    case (_, .refused): ": refused, and not loaded"
    case (_, .stale): ": refused; its last good version runs on"
    case (.removed, _): ": its app ends"
    case (_, _) where !file.hasEffect: ": no effect"
    case (.added, _): ": its app begins"
    default: ""
    }
  }

  private func sign(_ kind: KeyChange.Kind) -> String {
    switch kind {
    case .added: "+"
    case .removed: "-"
    case .changed: "~"
    }
  }

  private func value(_ change: KeyChange) -> String {
    change.kind == .changed
      ? "\(change.old ?? "") → \(change.new ?? "")" : change.new ?? change.old ?? ""
  }

  private func text(_ conflict: TenantDiff.Conflict) -> String {
    let apps = conflict.apps.map(String.init).joined(separator: " and ")
    return conflict.apps.count > 1
      ? "the bundle ID `\(conflict.bundleID)` comes into a conflict of the apps \(apps): 403 at sign-in by it\n"
      : "the bundle ID `\(conflict.bundleID)` is in no conflict any more\n"
  }

  private var summary: String {
    func count(_ kind: TenantDiff.File.Kind) -> Int { diff.files.count { $0.kind == kind } }
    let refused = diff.files.count { $0.state == .refused || $0.state == .stale }
    let parts = [
      (count(.added), "added"), (count(.removed), "removed"), (count(.changed), "changed"), (refused, "refused"),
      (diff.moves.count, "moved"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty ? "no change" : parts.joined(separator: ", ")
  }

  var json: String {
    JSONTree.members([
      "files": .list(diff.files.map(json)),
      "moves": .list(
        diff.moves.map { move in
          .members(["what": .text(move.what), "from": .integer(move.from), "to": .integer(move.to)])
        }),
      "conflicts": .list(
        diff.conflicts.map { conflict in
          .members(["bundleId": .text(conflict.bundleID), "apps": .list(conflict.apps.map(JSONTree.integer))])
        }),
      "claimsUnknown": .text(orNull: unknown?.description), "running": running?.json ?? .null,
    ]).pretty
  }

  private func json(_ file: TenantDiff.File) -> JSONTree {
    .members([
      "change": .text(file.kind.rawValue), "file": .text(file.path), "app": file.app.map(JSONTree.integer) ?? .null,
      "name": .text(orNull: file.name), "state": .text(orNull: file.state?.rawValue), "effect": .bool(file.hasEffect),
      "keys": .list(
        file.keys.map { change in
          .members([
            "change": .text(change.kind.rawValue), "key": .text(change.key), "old": .text(orNull: change.old),
            "new": .text(orNull: change.new), "place": .text(change.place),
          ])
        }),
      "problems": .list(file.problems.map(\.json)),
    ])
  }
}
