import ProviderKit

/// Signing in by password or passkey.
struct SignIn: Sendable {
  let turn: Turn

  func show() async throws(ProviderFailure) -> PageAnswer {
    if try await turn.person() != nil { return turn.redirect(to: turn.visit == nil ? .account : .entrance) }
    return await page()
  }

  func submit() async throws(ProviderFailure) -> PageAnswer {
    turn.request.form?["signature"] == nil ? try await byPassword() : try await byPasskey()
  }

  /// - Parameter email: as it was put in.
  func page(email: String = "", problem: Problem? = nil, isConfirmation: Bool = false) async -> PageAnswer {
    let model = SignInModel(
      email: email, passkey: await PasskeyCeremony(turn: turn).prompt(), problem: problem, notice: turn.notice,
      isConfirmation: isConfirmation)
    return .page(Pages.signIn(turn.frame, model), status: problem?.status ?? 200, retryAfter: problem?.retryAfter)
  }

  private func byPassword() async throws(ProviderFailure) -> PageAnswer {
    let (input, password) = (turn.field(.email), turn.field(.password))
    guard !input.isEmpty else { return await page(problem: .emailMissing) }
    guard let email = EmailAddress(input) else { return await page(email: input, problem: .emailMalformed) }
    guard !password.isEmpty else { return await page(email: input, problem: .passwordMissing) }
    let found = try await turn.people.person(at: email)
    let isKnown = await Sessions(turn: turn).isKnown(to: found?.value)
    if let seconds = try await Guessing(turn: turn).begin(email, isKnown: isKnown) {
      return await page(email: input, problem: .tooManyTries(seconds: seconds))
    }
    guard let isRight = await turn.isPassword(password, of: found?.value.password) else {
      return await page(email: input, problem: .busy)
    }
    guard isRight, let person = found?.value else { return await page(email: input, problem: .wrongCredentials) }
    try await Guessing(turn: turn).succeeded(email, isKnown: isKnown)
    return turn.goOn(session: try await Sessions(turn: turn).begin(for: person.id))
  }

  private func byPasskey() async throws(ProviderFailure) -> PageAnswer {
    guard let person = try await PasskeyCeremony(turn: turn).signIn() else {
      return await page(problem: .passkeyRefused)
    }
    return turn.goOn(session: try await Sessions(turn: turn).begin(for: person))
  }
}

extension Problem {
  /// Seconds after which another try makes sense.
  var retryAfter: Int? {
    switch self {
    case .tooManyTries(let seconds), .tooManyRequests(let seconds): seconds
    case .busy, .mailUnavailable: 5
    default: nil
    }
  }

  /// The status of the page that tells of it.
  var status: Int {
    switch self {
    case .tooManyTries, .tooManyRequests: 429
    case .busy, .mailUnavailable: 503
    default: 400
    }
  }
}
