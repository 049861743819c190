import ProviderKit

/// Which passwords are taken. Length counts, and that it is none of those that are tried first; signs of certain kinds
/// are not asked for (NIST SP 800-63B section 3.1.1.2).
enum PasswordRules {
  /// Characters. NIST asks for 8 beside another factor and for 15 alone; with guesses limited as here, what is common
  /// refused and passkeys at hand, 10 is what people put up with.
  static let minimum = 10
  static let bytes = 1024

  /// What is wrong with a password; nil where it is taken.
  ///
  /// - Parameter personal: the person's name and address.
  static func problem(_ password: String, personal: [String]) -> Problem? {
    if password.isEmpty { return .passwordMissing }
    if password.count < minimum { return .passwordTooShort(minimum: minimum) }
    if password.utf8.count > bytes { return .passwordTooLong }
    let skeleton = CommonPasswords.skeleton(password)
    if CommonPasswords.contains(password, skeleton: skeleton) { return .passwordCommon }
    return isPersonal(password.lowercased(), personal) ? .passwordPersonal : nil
  }

  /// Whether little is left of it without the parts of a name or an address.
  private static func isPersonal(_ password: String, _ personal: [String]) -> Bool {
    let parts = personal.flatMap { $0.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init) }
      .filter { $0.count >= 3 }.sorted { $0.count > $1.count }
    var (rest, left, taken) = (password[...], 0, 0)
    while !rest.isEmpty {
      if let part = parts.first(where: { rest.hasPrefix($0) }) {
        rest = rest.dropFirst(part.count)
        taken += part.count
      } else {
        rest = rest.dropFirst()
        left += 1
      }
    }
    return left < 4 && taken >= 4
  }
}

extension Turn {
  /// Whether a password is a person's; as slow where there is none. Nil where too many wait.
  func isPassword(_ password: String, of derivation: String?) async -> Bool? {
    // None is longer: what can't be right need not be derived.
    guard password.utf8.count <= PasswordRules.bytes else { return false }
    return try? await services.isPassword(password, of: derivation)
  }
}
