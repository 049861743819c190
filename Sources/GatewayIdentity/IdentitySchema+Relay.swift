import GatewayBase
import GatewayStore

extension IdentitySchema {
  /// Identities of issuers that are known by a URL, and tickets that were used.
  @Sendable static func relay(_ dialect: Dialect) -> [String] {
    let wider =
      switch dialect {
      // Text has no length there.
      case .sqlite: [String]()
      case .mariaDB: ["ALTER TABLE identities MODIFY issuer \(dialect.text(Limits.issuer)) NOT NULL"]
      }
    return wider + [dialect.addColumn("ticket", dialect.text(64), to: "revocations")]
  }
}
