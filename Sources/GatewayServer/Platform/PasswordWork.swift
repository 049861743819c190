import GatewayBase
import GatewayCrypto
import GatewayIO

/// Derives what is kept of passwords, on threads of its own that give way to all others: each takes about a tenth of a
/// second of a processor, and 32 MiB while it runs.
final class PasswordWork: Sendable {
  private let pool: BlockingPool

  init(threads: Int = max(1, Processors.available / 2), queueLimit: Int = Limits.passwordQueue) {
    pool = BlockingPool(name: "passwords", threads: threads, queueLimit: queueLimit, yields: true)
  }

  /// - Throws: `BlockingPool.Failure`, `CryptoError`.
  func derive(_ password: Secret) async throws -> String {
    try await pool.run { try PasswordDerivation.derive(password) }
  }

  /// - Throws: `BlockingPool.Failure`, `CryptoError`.
  func isPassword(_ password: Secret, of derivation: String?) async throws -> Bool {
    try await pool.run { try PasswordDerivation.isPassword(password, of: derivation) }
  }
}
