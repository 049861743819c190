import ProviderKit

/// The code of a letter that proves an address: of a new account, or a new one of an account.
struct Verification: Sendable {
  let turn: Turn

  private var id: String { turn.field("id") }

  /// What the link of a letter brings along is only shown: programs follow links too.
  func show() async throws(ProviderFailure) -> PageAnswer {
    let (id, digits) = (turn.request.query["id"] ?? "", turn.request.query["code"] ?? "")
    guard let code = try await MailedCode.read(id, in: turn) else { return turn.expired }
    return await page(code.value, id: id, digits: String(digits.prefix(16)), notice: turn.notice)
  }

  func submit() async throws(ProviderFailure) -> PageAnswer {
    if turn.field("action") == "resend" { return try await resend() }
    switch try await MailedCode.attempt(turn.field(.code), id: id, in: turn) {
    case .gone: return turn.expired
    case .wrong(let code, let problem): return await page(code, id: id, digits: turn.field(.code), problem: problem)
    case .right(let code):
      switch code.value.purpose {
      case .signUp(let name, let password): return try await makeAccount(code, name: name, password: password)
      case .newAddress(let recipient): return try await changeAddress(code, of: recipient)
      case .reset, .nothing: return turn.expired
      }
    }
  }

  /// The account, its address and the end of the code are one change, so that of two tries one makes it.
  ///
  /// Whoever signed up with an address that is not his own knows the password. So it counts only in the browser that
  /// chose it; who follows the letter's link elsewhere chooses one himself.
  private func makeAccount(
    _ code: Stored<MailedCode>, name: String, password: String
  ) async throws(ProviderFailure) -> PageAnswer {
    guard let email = EmailAddress(code.value.email) else { return turn.expired }
    let isOwn = await code.value.isOwn(turn)
    var person = Person(
      id: await turn.services.secret(), name: name, email: email.text, password: isOwn ? password : nil,
      createdAt: turn.now)
    let begun = await Sessions(turn: turn).new(for: person.id)
    person.add(begun.session, device: begun.device)
    var changes = await turn.people.creation(of: person, at: email)
    changes.append(.remove(code.key, if: .version(code.version)))
    let reset =
      isOwn ? nil : await MailedCode.new(.reset(MailedCode.Recipient(person), isFirst: true), email: email, in: turn)
    if let reset { changes.append(reset.change) }
    guard try await turn.records.commit(changes) else { return turn.expired }
    try await turn.keep(person)
    guard let reset else { return turn.goOn(session: begun.cookie.kept) }
    return turn.redirect(to: .newPassword, [("id", reset.id), ("code", reset.digits)], session: begun.cookie.kept)
  }

  private func changeAddress(
    _ code: Stored<MailedCode>, of recipient: MailedCode.Recipient
  ) async throws(ProviderFailure) -> PageAnswer {
    guard let email = EmailAddress(code.value.email), let found = try await recipient.read(in: turn) else {
      return turn.expired
    }
    var person = found.value
    let old = person.email
    person.setEmail(email)
    var changes: [RecordChange] = [
      .remove(code.key, if: .version(code.version)), .put(found.key, person, if: .version(found.version)),
    ]
    // The same but for upper and lower case is one record.
    if let earlier = EmailAddress(old), earlier.key != email.key {
      changes.append(.put(await turn.people.addressKey(email), person.id, if: .absent))
      changes.append(.remove(await turn.people.addressKey(earlier)))
    }
    guard try await turn.records.commit(changes) else { return turn.expired }
    try await turn.keep(person)
    _ = await turn.send(Letters.addressChanged(turn.frame.language, to: old, newAddress: email.text))
    return turn.redirect(to: .account, [(Notice.queryField, Notice.emailChanged.rawValue)])
  }

  /// Another letter with a code of its own; the earlier one is of no use from then on.
  private func resend() async throws(ProviderFailure) -> PageAnswer {
    guard let earlier = try await MailedCode.read(id, in: turn), await earlier.value.isOwn(turn),
      let email = EmailAddress(earlier.value.email)
    else { return turn.expired }
    if let seconds = try await Postage(turn: turn).take(to: email) {
      return await page(earlier.value, id: id, problem: .tooManyRequests(seconds: seconds))
    }
    let code = await MailedCode.new(earlier.value.purpose, email: email, in: turn)
    guard try await turn.records.commit([code.change, .remove(earlier.key, if: .version(earlier.version))]) else {
      return turn.expired
    }
    let letter = turn.letter(bringing: (code.id, code.digits), earlier.value.purpose, to: email)
    if let letter, await !turn.send(letter) { return await page(earlier.value, id: code.id, problem: .mailUnavailable) }
    return turn.redirect(to: .verify, [("id", code.id), (Notice.queryField, Notice.codeSent.rawValue)])
  }

  /// The address is shown to the browser that put it in alone.
  private func page(
    _ code: MailedCode, id: String, digits: String = "", problem: Problem? = nil, notice: Notice? = nil
  ) async -> PageAnswer {
    let isOwn = await code.isOwn(turn)
    let isNewAddress = if case .newAddress = code.purpose { true } else { false }
    return .page(
      Pages.verify(
        turn.frame,
        VerifyModel(
          id: id, email: isOwn ? code.email : nil, code: digits, digits: MailedCode.digits, isNewAddress: isNewAddress,
          canResend: isOwn, problem: problem, notice: notice)), status: problem?.status ?? 200,
      retryAfter: problem?.retryAfter)
  }
}
