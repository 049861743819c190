import GatewayBase
import GatewayConfig
import GatewayStore

/// What the store knows of claims, as one read found it.
struct ClaimRecords: Sendable {
  struct Record: Sendable, Equatable {
    let claim: TenantClaim
    let app: Int64
    /// Relative to the folder of tenants, which need not be the same on all nodes.
    let file: String
    /// The node that saw the file last, in records of app IDs.
    let node: String
  }

  var records: [Record] = []
  /// The nodes that are at work.
  var nodes: Set<String> = []

  /// Who had what first, for a node that sees these apps and files.
  ///
  /// An app that is nowhere in the folder counts while a node that had its file is at work. Else its file went while
  /// nobody watched, and what it had is free: nobody else could ever release it.
  ///
  /// - Parameters:
  ///   - apps: those whose files say so; a file that can't be read for what it says counts by its path.
  ///   - path: of a relative one, as this node has it.
  func history(apps: Set<Int64>, paths: Set<String>, path: (String) -> String) -> ClaimHistory {
    var present = apps
    var history = ClaimHistory()
    for record in records where record.claim.kind == .app {
      let file = path(record.file)
      history.files[record.app] = file
      if nodes.contains(record.node) || paths.contains(file) { present.insert(record.app) }
    }
    for record in records where record.claim.kind != .app && present.contains(record.app) {
      history.owners[record.claim] = record.app
    }
    return history
  }
}

extension ClaimRecords {
  private static let page = 5000

  /// Reads all records, page by page.
  static func read(_ store: any Store, now: UnixTime) async throws -> ClaimRecords {
    var found = ClaimRecords()
    var last: (kind: Int64, value: String) = (-1, "")
    while true {
      let after = last
      let records = try await store.read { connection in
        // Two queries, as a comparison of pairs is no range for an index of MariaDB.
        let rest = try connection.query(
          "SELECT \(columns) FROM tenant_claims WHERE kind = ? AND value > ? ORDER BY value LIMIT \(page)",
          [.integer(after.kind), .text(after.value)])
        if rest.count == page { return try rest.compactMap(Record.init) }
        let next = try connection.query(
          "SELECT \(columns) FROM tenant_claims WHERE kind > ? ORDER BY kind, value LIMIT \(page - rest.count)",
          [.integer(after.kind)])
        return try (rest + next).compactMap(Record.init)
      }
      found.records += records
      guard records.count == page, let end = records.last else { break }
      last = (Int64(end.claim.kind.rawValue), end.claim.value)
    }
    found.nodes = try await nodes(store, now: now)
    return found
  }

  static func nodes(_ store: any Store, now: UnixTime) async throws -> Set<String> {
    try await store.read { connection in
      let rows = try connection.query(
        "SELECT node FROM gateway_nodes WHERE seen_at > ?", [.integer(now.milliseconds - Limits.nodeSilence)])
      return Set(try rows.map { try $0.text(0) })
    }
  }

  static let columns = "kind, value, app, file, node"
}

extension ClaimRecords.Record {
  /// Nil for a kind that a later release has added.
  init?(_ row: Row) throws {
    guard let kind = TenantClaim.Kind(rawValue: UInt8(clamping: try row.integer(0))) else { return nil }
    self.init(
      claim: TenantClaim(kind: kind, value: try row.text(1)), app: try row.integer(2), file: try row.text(3),
      node: try row.text(4))
  }
}
