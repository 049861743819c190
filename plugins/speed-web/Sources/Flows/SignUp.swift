import ProviderKit

/// Making an account. Nothing is made until the address is verified; whether the address has an account already only its
/// owner hears, by letter.
struct SignUp: Sendable {
  let turn: Turn

  func show() async throws(ProviderFailure) -> PageAnswer {
    if try await turn.person() != nil { return turn.redirect(to: turn.visit == nil ? .account : .entrance) }
    return page()
  }

  func submit() async throws(ProviderFailure) -> PageAnswer {
    let (input, password) = (turn.field(.email), turn.field(.password))
    let name: String
    switch PersonName.judge(turn.field(.name)) {
    case .success(let judged): name = judged
    case .failure(let rejection): return page(rejection.problem)
    }
    guard !input.isEmpty else { return page(.emailMissing) }
    guard let email = EmailAddress(input) else { return page(.emailMalformed) }
    if let problem = PasswordRules.problem(password, personal: [name, email.text]) { return page(problem) }
    if let seconds = try await Postage(turn: turn).take(to: email) { return page(.tooManyRequests(seconds: seconds)) }
    let derivation: String
    do throws(CallFailure) {
      // Also for an address that has an account, so that the time does not tell.
      derivation = try await turn.services.derive(password: password)
    } catch {
      return page(.busy)
    }
    let isTaken = try await turn.people.person(at: email) != nil
    let purpose = MailedCode.Purpose.signUp(name: name, password: derivation)
    guard let id = try await turn.verify(email, for: purpose, isTaken: isTaken) else { return page(.mailUnavailable) }
    return turn.redirect(to: .verify, [("id", id)])
  }

  private func page(_ problem: Problem? = nil) -> PageAnswer {
    .page(
      Pages.signUp(
        turn.frame,
        SignUpModel(
          name: turn.field(.name), email: turn.field(.email), minimumLength: PasswordRules.minimum, problem: problem)),
      status: problem?.status ?? 200, retryAfter: problem?.retryAfter)
  }
}
