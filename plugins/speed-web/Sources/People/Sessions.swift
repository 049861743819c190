import ProviderKit

/// The sessions of browsers.
struct Sessions: Sendable {
  /// Milliseconds between two notes of a session's use.
  private static let noteInterval: Int64 = 3_600_000

  let turn: Turn

  /// A session of this browser that has just proved to be a person's: always with a new secret, so that nobody can have
  /// set it before.
  func new(for person: String) async -> (session: Person.Session, device: String, cookie: BrowserCookie) {
    let secret = await turn.services.secret()
    var device = await turn.services.secret()
    if let known = turn.cookie, known.person == person { device = known.device }
    let session = Person.Session(
      digest: await turn.services.digest("session:\(secret)"), userAgent: userAgent,
      address: turn.request.address, createdAt: turn.now, lastUsedAt: turn.now, provedAt: turn.now)
    return (session, await deviceDigest(device), BrowserCookie(person: person, session: secret, device: device))
  }

  /// Signs this browser in.
  func begin(for person: String) async throws(ProviderFailure) -> PageAnswer.Session {
    let new = await new(for: person)
    let earlier = await digestOfCookie()
    try await turn.people.update(person) { person in
      person.sessions.removeAll { $0.digest == earlier }
      person.add(new.session, device: new.device)
      return true
    }
    return new.cookie.kept
  }

  /// Signs this browser out; it stays known.
  func end() async throws(ProviderFailure) -> PageAnswer.Session {
    guard let cookie = turn.cookie, let digest = await digestOfCookie() else { return .unchanged }
    try await turn.people.update(cookie.person) { person in
      let count = person.sessions.count
      person.sessions.removeAll { $0.digest == digest }
      return person.sessions.count != count
    }
    return cookie.withoutSession.kept
  }

  /// Notes that a session is in use, from time to time. Where others change the account at the same moment, it is noted
  /// the next time.
  func note(_ signedIn: SignedIn) async throws(ProviderFailure) {
    guard turn.now - signedIn.session.lastUsedAt > Self.noteInterval else { return }
    var person = signedIn.person.value
    for at in person.sessions.indices where person.sessions[at].digest == signedIn.session.digest {
      person.sessions[at].lastUsedAt = turn.now
      person.sessions[at].address = turn.request.address
      person.sessions[at].userAgent = userAgent
    }
    _ = try await turn.records.commit([
      .put(signedIn.person.key, person, if: .version(signedIn.person.version))
    ])
  }

  /// As much of it as names a browser.
  private var userAgent: String? { turn.request.userAgent?.cut(toBytes: 160) }

  /// Whether this browser has signed in to the account before.
  func isKnown(to person: Person?) async -> Bool {
    guard let person, let cookie = turn.cookie, cookie.person == person.id else { return false }
    return person.devices.contains(await deviceDigest(cookie.device))
  }

  private func deviceDigest(_ device: String) async -> String { await turn.services.digest("device:\(device)") }

  private func digestOfCookie() async -> String? {
    guard let secret = turn.cookie?.session, !secret.isEmpty else { return nil }
    return await turn.services.digest("session:\(secret)")
  }
}
