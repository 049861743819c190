import ProviderKit

/// Another account for the same visit.
struct SignOut: Sendable {
  let turn: Turn

  func submit() async throws(ProviderFailure) -> PageAnswer {
    turn.redirect(to: .entrance, session: try await Sessions(turn: turn).end())
  }
}
