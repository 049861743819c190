import GatewayBase
import ProviderKit

extension HostServices {
  func derive(password: String) async throws(CallFailure) -> String {
    let password = try Self.secret(password)
    return try await using { means in try await means.passwords.derive(password) }
  }

  func isPassword(_ password: String, of derivation: String?) async throws(CallFailure) -> Bool {
    let password = try Self.secret(password)
    return try await using { means in try await means.passwords.isPassword(password, of: derivation) }
  }

  private static func secret(_ password: String) throws(CallFailure) -> Secret {
    guard password.utf8.count <= Limits.password else { throw CallFailure("the password is too long") }
    return Secret(password.utf8)
  }
}
