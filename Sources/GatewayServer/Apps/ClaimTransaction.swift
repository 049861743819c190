import GatewayBase
import GatewayConfig
import GatewayStore

/// Writes what apps took and gave up. What another app had first stays its own; the index decides between two nodes.
struct ClaimTransaction: Sendable {
  let movements: [ClaimMovement]
  let node: String
  let now: UnixTime
  /// Whether an app has a file on this node.
  let isPresent: @Sendable (Int64) -> Bool
  /// Of a path, the one that all nodes have.
  let relative: @Sendable (String) -> String

  /// May run several times.
  ///
  /// - Returns: what others had first.
  func run(on connection: any Connection) throws -> [ClaimRecords.Record] {
    try movements.compactMap { movement in
      switch movement.kind {
      case .left:
        try leave(movement, on: connection)
        return nil
      case .taken: return try take(movement, on: connection)
      }
    }
  }

  private func key(_ claim: TenantClaim) -> [SQLValue] { [.integer(Int64(claim.kind.rawValue)), .text(claim.value)] }

  private func leave(_ movement: ClaimMovement, on connection: any Connection) throws {
    // An app ID may have gone to another file by now.
    let file: [SQLValue] = movement.claim.kind == .app ? [.text(relative(movement.file))] : []
    try connection.run(
      "DELETE FROM tenant_claims WHERE kind = ? AND value = ? AND app = ?\(file.isEmpty ? "" : " AND file = ?")",
      key(movement.claim) + [.integer(movement.app)] + file)
  }

  /// - Returns: who has it, where that is another.
  private func take(_ movement: ClaimMovement, on connection: any Connection) throws -> ClaimRecords.Record? {
    let new: [SQLValue] = [
      .integer(movement.app), .text(relative(movement.file)), .text(node), .integer(now.milliseconds),
    ]
    if try insert(key(movement.claim) + new, on: connection) { return nil }
    let row = try connection.first(
      "SELECT \(ClaimRecords.columns) FROM tenant_claims WHERE kind = ? AND value = ?", key(movement.claim))
    guard let row, let holder = try ClaimRecords.Record(row) else { return nil }
    let isOwn = holder.app == movement.app && (holder.claim.kind != .app || holder.file == relative(movement.file))
    if isOwn && holder.claim.kind != .app { return nil }
    if !isOwn, try isAlive(holder, on: connection) { return holder }
    try connection.run(
      "UPDATE tenant_claims SET app = ?, file = ?, node = ?, since = ? WHERE kind = ? AND value = ? AND app = ?",
      new + key(movement.claim) + [.integer(holder.app)])
    return nil
  }

  /// - Returns: false where somebody has the claim.
  private func insert(_ values: [SQLValue], on connection: any Connection) throws(StoreError) -> Bool {
    do throws(StoreError) {
      try connection.run(
        "INSERT INTO tenant_claims (kind, value, app, file, node, since) VALUES (?, ?, ?, ?, ?, ?)", values)
      return true
    } catch .uniqueViolation {
      return false
    }
  }

  /// Whether an app that has a claim is still somewhere: here, or where a node at work saw its file.
  private func isAlive(_ holder: ClaimRecords.Record, on connection: any Connection) throws -> Bool {
    if holder.claim.kind != .app && isPresent(holder.app) { return true }
    let app = [SQLValue.integer(Int64(TenantClaim.Kind.app.rawValue)), .text(String(holder.app))]
    let row = try connection.first(
      """
      SELECT COUNT(*) FROM tenant_claims JOIN gateway_nodes ON gateway_nodes.node = tenant_claims.node
      WHERE kind = ? AND value = ? AND gateway_nodes.seen_at > ? AND gateway_nodes.node <> ?
      """, app + [.integer(now.milliseconds - Limits.nodeSilence), .text(node)])
    return try row.map { try $0.integer(0) > 0 } ?? false
  }
}
