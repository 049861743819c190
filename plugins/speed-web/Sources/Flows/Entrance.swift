import ProviderKit

/// Where apps send browsers: on to the app where all is settled, else the question that is next.
struct Entrance: Sendable {
  let turn: Turn

  func show() async throws(ProviderFailure) -> PageAnswer {
    guard let visit = turn.visit else { return turn.redirect(to: .account) }
    guard let signedIn = try await turn.person() else { return await SignIn(turn: turn).page() }
    try await Sessions(turn: turn).note(signedIn)
    let person = signedIn.person.value
    if !visit.isLinking, try await isRegistered(person) { return PageAnswer(.finished(.identity(person.identity))) }
    return .page(
      Pages.consent(
        turn.frame,
        ConsentModel(name: person.name, email: person.email, shared: [.name, .photo, .email])))
  }

  private func isRegistered(_ person: Person) async throws(ProviderFailure) -> Bool {
    do throws(CallFailure) {
      return try await turn.services.isRegistered(person.id, issuer: SpeedWebProvider.issuer)
    } catch {
      throw .unavailable(error)
    }
  }
}
