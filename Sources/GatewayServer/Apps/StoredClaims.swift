import GatewayBase
import GatewayConfig
import GatewayStore

/// What the store knows of who had what first, for commands that judge files beside the gateway.
package struct StoredClaims: Sendable {
  private var records = ClaimRecords()

  /// Why the store can't tell, in words.
  package struct Unknown: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
  }

  /// Asks the store, which is neither made nor migrated for that: one that is not there yet knows nothing.
  ///
  /// - Throws: `Unknown`, and what the store throws where it can't be reached.
  package init(_ store: any Store, now: UnixTime) async throws {
    guard let state = try await store.inspect(), state.version > 0 else { return }
    guard state.version == state.known else {
      throw Unknown("the store's schema has version \(state.version), this release works on \(state.known)")
    }
    records = try await ClaimRecords.read(store, now: now)
  }

  /// Who had what first, for a gateway that has these files.
  ///
  /// - Parameter path: of a file, relative to the folder of tenants, as `files` has it.
  package func history(of files: [TenantFile], path: (String) -> String) -> ClaimHistory {
    records.history(
      apps: Set(files.compactMap { $0.configuration?.appID }), paths: Set(files.map(\.path)), path: path)
  }
}
