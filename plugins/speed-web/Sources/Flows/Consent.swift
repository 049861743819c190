import ProviderKit

/// The answer to the question whether an app may know who this is.
struct Consent: Sendable {
  let turn: Turn

  func submit() async throws(ProviderFailure) -> PageAnswer {
    guard turn.visit != nil else { return turn.redirect(to: .account) }
    switch turn.field("decision") {
    case "allow":
      guard let signedIn = try await turn.person() else { return turn.redirect(to: .entrance) }
      return PageAnswer(.finished(.identity(signedIn.person.value.identity)))
    case "deny": return PageAnswer(.finished(.declined))
    default: return turn.redirect(to: .entrance)
    }
  }
}
