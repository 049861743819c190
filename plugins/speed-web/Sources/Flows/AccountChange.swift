import ProviderKit

/// A change of the account, by the `action` of its form.
struct AccountChange: Sendable {
  let turn: Turn

  func submit() async throws(ProviderFailure) -> PageAnswer {
    guard let signedIn = try await turn.person() else { return turn.redirect(to: .account) }
    return switch AccountAction(rawValue: turn.field("action")) {
    case .name: try await changeName(signedIn)
    case .email: try await changeEmail(signedIn)
    case .password: try await changePassword(signedIn)
    case .addPasskey: try await addPasskey(signedIn)
    case .removePasskey: try await removePasskey(signedIn)
    case .signOut: done(.signedOut, session: try await Sessions(turn: turn).end())
    case .signOutSession: try await endSession(signedIn)
    case .signOutEverywhere: try await endAll(signedIn)
    case nil: turn.redirect(to: .account)
    }
  }

  private func done(_ notice: Notice, session: PageAnswer.Session = .unchanged) -> PageAnswer {
    turn.redirect(to: .account, [(Notice.queryField, notice.rawValue)], session: session)
  }

  private func refuse(_ signedIn: SignedIn, _ action: AccountAction, _ problem: Problem, edited: String = "")
    -> PageAnswer
  {
    AccountPage(turn: turn).page(signedIn, (action, problem), edited: edited)
  }

  private func changeName(_ signedIn: SignedIn) async throws(ProviderFailure) -> PageAnswer {
    let name: String
    switch PersonName.judge(turn.field(.name)) {
    case .success(let judged): name = judged
    case .failure(let rejection): return refuse(signedIn, .name, rejection.problem, edited: turn.field(.name))
    }
    let changed = try await turn.people.update(signedIn.person.value.id) { person in
      person.name = name
      return true
    }
    if let changed { try await turn.keep(changed) }
    return done(.nameChanged)
  }

  /// The account keeps its address until the new one is verified.
  private func changeEmail(_ signedIn: SignedIn) async throws(ProviderFailure) -> PageAnswer {
    let (person, input) = (signedIn.person.value, turn.field(.email))
    func refuse(_ problem: Problem) -> PageAnswer { self.refuse(signedIn, .email, problem, edited: input) }
    guard !input.isEmpty else { return refuse(.emailMissing) }
    guard let email = EmailAddress(input) else { return refuse(.emailMalformed) }
    if email.text == person.email { return refuse(.emailUnchanged) }
    if let problem = try await problemOfCurrentPassword(person) { return refuse(problem) }
    if let seconds = try await Postage(turn: turn).take(to: email) { return refuse(.tooManyRequests(seconds: seconds)) }
    let other = try await turn.people.person(at: email)
    let isTaken = other.map { $0.value.id != person.id } ?? false
    let purpose = MailedCode.Purpose.newAddress(MailedCode.Recipient(person))
    guard let id = try await turn.verify(email, for: purpose, isTaken: isTaken) else { return refuse(.mailUnavailable) }
    return turn.redirect(to: .verify, [("id", id)])
  }

  /// All other browsers are signed out.
  private func changePassword(_ signedIn: SignedIn) async throws(ProviderFailure) -> PageAnswer {
    let (person, password) = (signedIn.person.value, turn.field(.password))
    func refuse(_ problem: Problem) -> PageAnswer { self.refuse(signedIn, .password, problem) }
    if let problem = PasswordRules.problem(password, personal: [person.name, person.email]) { return refuse(problem) }
    if let problem = try await problemOfCurrentPassword(person) { return refuse(problem) }
    let derivation: String
    do throws(CallFailure) {
      derivation = try await turn.services.derive(password: password)
    } catch {
      return refuse(.busy)
    }
    try await turn.people.update(person.id) { person in
      person.setPassword(derivation, keeping: signedIn.session.digest)
      return true
    }
    await turn.tellOfNewPassword(person)
    return done(.passwordChanged)
  }

  private func problemOfCurrentPassword(_ person: Person) async throws(ProviderFailure) -> Problem? {
    guard let email = EmailAddress(person.email) else { return .currentPasswordWrong }
    let guessing = Guessing(turn: turn)
    if let seconds = try await guessing.begin(email, isKnown: true) { return .tooManyTries(seconds: seconds) }
    switch await turn.isPassword(turn.field(.currentPassword), of: person.password) {
    case nil: return .busy
    case false?: return .currentPasswordWrong
    case true?: break
    }
    try await guessing.succeeded(email, isKnown: true)
    return nil
  }

  private func addPasskey(_ signedIn: SignedIn) async throws(ProviderFailure) -> PageAnswer {
    let person = signedIn.person.value
    let page = PasskeyPage(turn: turn)
    guard turn.isProved(signedIn) else { return try await page.page(signedIn) }
    guard case .success(let name) = PersonName.judge(turn.field(.name)) else {
      return try await page.page(signedIn, turn.field(.name).trimmed.isEmpty ? .nameMissing : .nameTooLong)
    }
    guard person.passkeys.count < Person.passkeyLimit else {
      return try await page.page(signedIn, .tooManyPasskeys(limit: Person.passkeyLimit))
    }
    guard let clientData = ByteText.bytes(base64URL: turn.field("client_data")),
      let attestation = ByteText.bytes(base64URL: turn.field("attestation")),
      let passkey = await PasskeyCeremony(turn: turn).register(
        PasskeyRegistration(clientData: clientData, attestation: attestation))
    else { return try await page.page(signedIn, .passkeyNotAdded) }
    let added = StoredPasskey(
      id: ByteText.base64URL(passkey.id), publicKey: ByteText.base64URL(passkey.publicKey),
      signCount: passkey.signCount,
      isBackedUp: passkey.isBackedUp,
      name: name.cut(toBytes: StoredPasskey.nameBytes), addedAt: turn.now)
    try await turn.people.update(person.id) { person in
      guard person.passkeys.count < Person.passkeyLimit, !person.passkeys.contains(where: { $0.id == added.id }) else {
        return false
      }
      person.passkeys.append(added)
      return true
    }
    _ = await turn.send(
      Letters.passkeyAdded(
        turn.frame.language, to: person.email, passkey: added.name,
        accountLink: turn.request.origin + PagePath.account.rawValue))
    return done(.passkeyAdded)
  }

  private func removePasskey(_ signedIn: SignedIn) async throws(ProviderFailure) -> PageAnswer {
    let id = turn.field("passkey")
    try await turn.people.update(signedIn.person.value.id) { person in
      person.passkeys.removeAll { $0.id == id }
      return true
    }
    return done(.passkeyRemoved)
  }

  private func endSession(_ signedIn: SignedIn) async throws(ProviderFailure) -> PageAnswer {
    let digest = turn.field("session")
    try await turn.people.update(signedIn.person.value.id) { person in
      person.sessions.removeAll { $0.digest == digest }
      return true
    }
    return done(.sessionEnded)
  }

  /// Apps too. The sessions first, so that no browser gets new tokens once the others have ended.
  private func endAll(_ signedIn: SignedIn) async throws(ProviderFailure) -> PageAnswer {
    try await turn.people.update(signedIn.person.value.id) { person in
      person.endSessions()
      return true
    }
    try await turn.endTokens(of: signedIn.person.value)
    return done(.signedOutEverywhere, session: turn.cookie?.withoutSession.kept ?? .forget)
  }
}
