import ProviderKit

/// Choosing a new password with the code of a letter. Whoever knew the old one is signed out everywhere.
struct NewPassword: Sendable {
  let turn: Turn

  private var id: String { turn.field("id") }

  func show() async throws(ProviderFailure) -> PageAnswer {
    let (id, digits) = (turn.request.query["id"] ?? "", turn.request.query["code"] ?? "")
    guard let code = try await MailedCode.read(id, in: turn) else { return turn.expired }
    return await page(code.value, id: id, digits: String(digits.prefix(16)))
  }

  func submit() async throws(ProviderFailure) -> PageAnswer {
    guard let known = try await MailedCode.read(id, in: turn) else { return turn.expired }
    let password = turn.field(.password)
    // First, as a password that is not taken uses up no try.
    if let problem = PasswordRules.problem(password, personal: [known.value.email]) {
      return await page(known.value, id: id, digits: turn.field(.code), problem: problem)
    }
    switch try await MailedCode.attempt(turn.field(.code), id: id, in: turn) {
    case .gone: return turn.expired
    case .wrong(let code, let problem): return await page(code, id: id, digits: turn.field(.code), problem: problem)
    case .right(let code): return try await change(code, to: password)
    }
  }

  private func change(_ code: Stored<MailedCode>, to password: String) async throws(ProviderFailure) -> PageAnswer {
    guard case .reset(let recipient, _) = code.value.purpose, let found = try await recipient.read(in: turn) else {
      return turn.expired
    }
    var person = found.value
    do throws(CallFailure) {
      person.setPassword(try await turn.services.derive(password: password))
    } catch {
      return await page(code.value, id: self.id, digits: turn.field(.code), problem: .busy)
    }
    let isFirst = found.value.password == nil
    person.devices = []
    let begun = await Sessions(turn: turn).new(for: person.id)
    person.add(begun.session, device: begun.device)
    let changes: [RecordChange] = [
      .remove(code.key, if: .version(code.version)), .put(found.key, person, if: .version(found.version)),
    ]
    guard try await turn.records.commit(changes) else { return turn.expired }
    try await turn.endTokens(of: person)
    if !isFirst { await turn.tellOfNewPassword(person) }
    return turn.goOn(session: begun.cookie.kept)
  }

  private func page(
    _ code: MailedCode, id: String, digits: String, problem: Problem? = nil
  ) async -> PageAnswer {
    let isOwn = await code.isOwn(turn)
    let isFirst = if case .reset(_, isFirst: true) = code.purpose { true } else { false }
    let model = NewPasswordModel(
      id: id, isFirst: isFirst, email: isOwn ? code.email : nil, code: digits,
      digits: MailedCode.digits, minimumLength: PasswordRules.minimum, problem: problem)
    return .page(Pages.newPassword(turn.frame, model), status: problem?.status ?? 200, retryAfter: problem?.retryAfter)
  }
}
