import ProviderKit

/// Asking a browser for a passkey, and judging what it answers.
struct PasskeyCeremony: Sendable {
  /// Milliseconds after which a page asks for something else to be signed.
  private static let slot: Int64 = 300_000

  let turn: Turn

  /// What a page asks for now.
  func prompt() async -> PasskeyPrompt {
    PasskeyPrompt(challenge: await challenge(0).bytes, relyingParty: relyingParty)
  }

  /// The person whose passkey signed; nil where none did.
  func signIn() async throws(ProviderFailure) -> String? {
    guard let id = ByteText.bytes(base64URL: turn.field("passkey_id")).map({ ByteText.base64URL($0) }),
      let clientData = ByteText.bytes(base64URL: turn.field("client_data")),
      let authenticatorData = ByteText.bytes(base64URL: turn.field("authenticator_data")),
      let signature = ByteText.bytes(base64URL: turn.field("signature")),
      let handle = ByteText.bytes(base64URL: turn.field("user_handle")), handle.count == 16
    else { return nil }
    let assertion = PasskeyAssertion(
      clientData: clientData, authenticatorData: authenticatorData, signature: signature)
    guard let found = try await turn.people.person(ByteText.hexadecimal(handle)),
      let at = found.value.passkeys.firstIndex(where: { $0.id == id }),
      let passkey = found.value.passkeys[at].kitForm, let used = await verify(assertion, passkey)
    else { return nil }
    var person = found.value
    person.passkeys[at].publicKey = ByteText.base64URL(used.publicKey)
    person.passkeys[at].signCount = used.signCount
    person.passkeys[at].isBackedUp = used.isBackedUp
    person.passkeys[at].lastUsedAt = turn.now
    // An answer is good once, also where its authenticator does not count.
    let usedKey = "used/" + ByteText.hexadecimal(await turn.services.sha256(authenticatorData + clientData))
    let isFirst = try await turn.records.commit([
      .put(usedKey, true, if: .absent, expiresAt: turn.now + 3 * Self.slot),
      .put(found.key, person, if: .version(found.version)),
    ])
    return isFirst ? person.id : nil
  }

  /// A new passkey of a browser; nil where its answer is not good.
  func register(_ registration: PasskeyRegistration) async -> Passkey? {
    for age in 0...1 {
      if let passkey = try? await turn.services.register(registration, for: await challenge(Int64(age))) {
        return passkey
      }
    }
    return nil
  }

  private func verify(_ assertion: PasskeyAssertion, _ passkey: Passkey) async -> Passkey? {
    for age in 0...1 {
      if let used = try? await turn.services.verify(assertion, of: passkey, for: await challenge(Int64(age))) {
        return used
      }
    }
    return nil
  }

  /// Bound to the browser, which alone has the form token, and to the time: nothing has to be kept of a page that is only
  /// looked at.
  ///
  /// - Parameter age: how many slots ago the page was made.
  private func challenge(_ age: Int64) async -> PasskeyChallenge {
    let slot = turn.now / Self.slot - age
    let bytes = await turn.services.sha256(Array("passkey:\(turn.request.formToken):\(slot)".utf8))
    return PasskeyChallenge(bytes: bytes, relyingParty: relyingParty, origin: turn.request.origin)
  }

  /// The host of the pages.
  private var relyingParty: String {
    let authority = turn.request.origin.split(separator: "/").last ?? ""
    return String(authority.prefix { $0 != ":" })
  }
}

extension StoredPasskey {
  fileprivate var kitForm: Passkey? {
    guard let id = ByteText.bytes(base64URL: id), let publicKey = ByteText.bytes(base64URL: publicKey) else {
      return nil
    }
    return Passkey(id: id, publicKey: publicKey, signCount: signCount, isBackedUp: isBackedUp)
  }
}
