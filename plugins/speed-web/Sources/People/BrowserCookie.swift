import ProviderKit

/// What a browser keeps: whose it is, the secret of its session, and one by which it is known when it signs in again.
struct BrowserCookie: Sendable, Equatable {
  /// Seconds for which a browser keeps it.
  static let seconds = 365 * 86_400

  let person: String
  /// Empty once the session is over.
  var session: String
  let device: String

  init(person: String, session: String, device: String) {
    self.person = person
    self.session = session
    self.device = device
  }

  init?(_ text: String) {
    let parts = text.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, Self.isSecret(parts[0]), parts[1].isEmpty || Self.isSecret(parts[1]),
      Self.isSecret(parts[2])
    else { return nil }
    self.init(person: parts[0], session: parts[1], device: parts[2])
  }

  var kept: PageAnswer.Session { .keep("\(person)_\(session)_\(device)", seconds: Self.seconds) }

  /// What is left when the session ends.
  var withoutSession: BrowserCookie { BrowserCookie(person: person, session: "", device: device) }

  private static func isSecret(_ text: String) -> Bool { ByteText.bytes(hexadecimal: text)?.count == 16 }
}
