import ProviderKit

/// The page on which a passkey is made. What lets another sign in asks for a proof that is not old.
struct PasskeyPage: Sendable {
  let turn: Turn

  func show() async throws(ProviderFailure) -> PageAnswer {
    guard let signedIn = try await turn.person() else { return await SignIn(turn: turn).page() }
    return try await page(signedIn)
  }

  func page(_ signedIn: SignedIn, _ problem: Problem? = nil) async throws(ProviderFailure) -> PageAnswer {
    let person = signedIn.person.value
    guard turn.isProved(signedIn) else {
      return await SignIn(turn: turn).page(email: person.email, isConfirmation: true)
    }
    let model = AddPasskeyModel(
      prompt: await PasskeyCeremony(turn: turn).prompt(), userHandle: ByteText.bytes(hexadecimal: person.id) ?? [],
      email: person.email, displayName: person.name,
      excluded: person.passkeys.compactMap { ByteText.bytes(base64URL: $0.id) },
      name: turn.field(.name),
      problem: problem)
    return .page(Pages.addPasskey(turn.frame, model), status: problem?.status ?? 200, retryAfter: problem?.retryAfter)
  }
}

extension Turn {
  /// Whether the person proved lately who it is.
  func isProved(_ signedIn: SignedIn) -> Bool { now - signedIn.session.provedAt < Person.proofLife }
}
