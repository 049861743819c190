import ProviderKit

/// How often passwords may be guessed: at one account by strangers, by each browser that has signed in to it before, and
/// from one network address at all accounts.
///
/// Strangers who guess lock out strangers: whoever has signed in here before, has a passkey or reads the account's mail
/// gets in. An address without an account is counted like one with it.
struct Guessing: Sendable {
  private static let window: Int64 = 15 * 60_000
  private static let atAccount = 10
  private static let fromAddress = 100

  let turn: Turn

  /// Counts a guess.
  ///
  /// - Returns: nil where it may be made, else the seconds after which the next one may.
  func begin(_ email: EmailAddress, isKnown: Bool) async throws(ProviderFailure) -> Int? {
    let network = Allowance.Limit(
      key: "guesses/network/" + (await turn.services.digest(turn.request.address)), count: Self.fromAddress,
      window: Self.window)
    if let seconds = try await Allowance.take(network, turn) { return seconds }
    return try await Allowance.take(await limit(email, isKnown), turn)
  }

  /// Forgets the guesses of this browser, or of all strangers, as one was right.
  func succeeded(_ email: EmailAddress, isKnown: Bool) async throws(ProviderFailure) {
    _ = try await turn.records.commit([.remove(await limit(email, isKnown).key)])
  }

  private func limit(_ email: EmailAddress, _ isKnown: Bool) async -> Allowance.Limit {
    var key = "guesses/account/" + (await turn.services.digest(email.key))
    if isKnown, let cookie = turn.cookie { key += "/" + (await turn.services.digest("device:\(cookie.device)")) }
    return Allowance.Limit(key: key, count: Self.atAccount, window: Self.window)
  }
}
