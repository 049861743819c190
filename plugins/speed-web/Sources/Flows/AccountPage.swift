import ProviderKit

/// The account itself.
struct AccountPage: Sendable {
  let turn: Turn

  func show() async throws(ProviderFailure) -> PageAnswer {
    guard let signedIn = try await turn.person() else { return await SignIn(turn: turn).page() }
    try await Sessions(turn: turn).note(signedIn)
    return page(signedIn)
  }

  func page(_ signedIn: SignedIn, _ problem: (action: AccountAction, problem: Problem)? = nil, edited: String = "")
    -> PageAnswer
  {
    let person = signedIn.person.value
    let model = AccountModel(
      name: person.name, email: person.email,
      passkeys: person.passkeys.map { passkey in
        PasskeyItem(
          id: passkey.id, name: passkey.name, addedAt: passkey.addedAt, lastUsedAt: passkey.lastUsedAt)
      },
      sessions: person.sessions.filter { person.session($0.digest, now: turn.now) != nil }.reversed().map { session in
        SessionItem(
          id: session.digest, userAgent: session.userAgent, address: session.address, lastUsedAt: session.lastUsedAt,
          isCurrent: session.digest == signedIn.session.digest)
      },
      minimumLength: PasswordRules.minimum, now: turn.now, notice: turn.notice, problem: problem, edited: edited)
    return .page(
      Pages.account(turn.frame, model), status: problem?.problem.status ?? 200, retryAfter: problem?.problem.retryAfter)
  }
}
