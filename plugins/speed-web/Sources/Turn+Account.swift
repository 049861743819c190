import ProviderKit

// What the gateway does for an account that changes.
extension Turn {
  /// - Returns: whether the letter is on its way.
  func send(_ letter: ProviderMail) async -> Bool { (try? await services.send(letter)) != nil }

  /// Has the gateway know the account as it is now, also where no app does yet.
  func keep(_ person: Person) async throws(ProviderFailure) {
    do throws(CallFailure) {
      try await services.keep(person.identity)
    } catch {
      throw .unavailable(error)
    }
  }

  /// Ends the person's tokens in all apps.
  func endTokens(of person: Person) async throws(ProviderFailure) {
    do throws(CallFailure) {
      try await services.endSessions(of: person.id, issuer: SpeedWebProvider.issuer)
    } catch {
      throw .unavailable(error)
    }
  }
}
