import ProviderKit

/// Asking for a new password. The page that follows is the same whether or not there is an account.
struct Reset: Sendable {
  let turn: Turn

  func show() async throws(ProviderFailure) -> PageAnswer { page() }

  func submit() async throws(ProviderFailure) -> PageAnswer {
    let input = turn.field(.email)
    guard !input.isEmpty else { return page(.emailMissing) }
    guard let email = EmailAddress(input) else { return page(.emailMalformed) }
    let found = try await turn.people.person(at: email)
    let isKnown = await Sessions(turn: turn).isKnown(to: found?.value)
    if let seconds = try await Postage(turn: turn).take(to: email, isKnown: isKnown) {
      return page(.tooManyRequests(seconds: seconds))
    }
    let code = await MailedCode.new(
      found.map { .reset(MailedCode.Recipient($0.value), isFirst: false) } ?? .nothing, email: email, in: turn)
    guard try await turn.records.commit([code.change]) else { throw .contended }
    // Written for an address without an account too, so that the time does not tell.
    let letter = Letters.reset(
      turn.frame.language, to: found?.value.email ?? email.text, code: code.digits,
      link: turn.link(.newPassword, [("id", code.id), ("code", code.digits)]), minutes: MailedCode.minutes)
    if found != nil, await !turn.send(letter) { return page(.mailUnavailable) }
    return turn.redirect(to: .newPassword, [("id", code.id)])
  }

  private func page(_ problem: Problem? = nil) -> PageAnswer {
    .page(
      Pages.reset(turn.frame, ResetModel(email: turn.field(.email), problem: problem)), status: problem?.status ?? 200,
      retryAfter: problem?.retryAfter)
  }
}
