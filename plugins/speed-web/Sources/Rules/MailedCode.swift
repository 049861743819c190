import ProviderKit

/// A code in a letter, and what it is for. It is good once, for a quarter of an hour and for a few tries.
struct MailedCode: Codable, Sendable {
  /// What happens when it comes back.
  enum Purpose: Codable, Sendable {
    /// An account is made.
    case signUp(name: String, password: String)
    /// A person gets this address.
    case newAddress(Recipient)
    /// A person chooses a new password.
    ///
    /// - isFirst: there was none before. Only where the code was not asked for by a stranger, who would learn of it.
    case reset(Recipient, isFirst: Bool)
    /// Nothing: the page is shown for an address that gets no code, as if it got one.
    case nothing
  }

  /// A person as they were when the code was mailed.
  struct Recipient: Codable, Sendable {
    private let person: String
    private let epoch: Int

    init(_ person: Person) {
      self.person = person.id
      epoch = person.epoch
    }

    /// The person, where nothing has changed since by what the account is reached.
    func read(in turn: Turn) async throws(ProviderFailure) -> Stored<Person>? {
      guard let found = try await turn.people.person(person), found.value.epoch == epoch else { return nil }
      return found
    }
  }

  static let minutes = 15
  static let digits = 8
  private static let life = Int64(minutes) * 60_000
  private static let tries = 5

  let purpose: Purpose
  let email: String
  /// Of the code.
  let digest: String
  /// `PageRequest.formToken` of the browser that asked for it, digested.
  let browser: String
  var triesLeft: Int
  let expiresAt: Int64

  /// A new code for the address of a letter, and the change that keeps it.
  ///
  /// - Returns: the id under which it is kept, its digits, the change.
  static func new(
    _ purpose: Purpose, email: EmailAddress, in turn: Turn
  ) async -> (id: String, digits: String, change: RecordChange) {
    let id = await turn.services.secret()
    let digits = await number(turn.services)
    let code = MailedCode(
      purpose: purpose, email: email.text, digest: await digest(digits, id, turn), browser: await browser(turn),
      triesLeft: tries, expiresAt: turn.now + life)
    return (id, digits, .put(key(id), code, if: .absent, expiresAt: code.expiresAt))
  }

  static func key(_ id: String) -> String { "code/" + id }

  /// The code of an id, where it is still good for a try.
  static func read(_ id: String, in turn: Turn) async throws(ProviderFailure) -> Stored<MailedCode>? {
    guard ByteText.bytes(hexadecimal: id)?.count == 16,
      let found = try await turn.records.read(key(id), as: MailedCode.self),
      found.value.expiresAt > turn.now, found.value.triesLeft > 0
    else { return nil }
    return found
  }

  /// What a try came to.
  enum Outcome: Sendable {
    /// It is right, and still there: it is used up with the change that it is for.
    case right(Stored<MailedCode>)
    /// It is another one, or none was put in; there are tries left.
    case wrong(MailedCode, Problem)
    /// There is none to try.
    case gone
  }

  /// Tries digits. The try is taken before they are compared, so that many at once get no more than one each.
  static func attempt(_ input: String, id: String, in turn: Turn) async throws(ProviderFailure) -> Outcome {
    let digits = input.filter { !$0.isWhitespace && $0 != "-" && $0 != "·" }
    for _ in 0..<2 * tries {
      guard var found = try await read(id, in: turn) else { return .gone }
      found.value.triesLeft -= 1
      let change = RecordChange.put(
        found.key, found.value, if: .version(found.version), expiresAt: found.value.expiresAt)
      guard try await turn.records.commit([change]) else { continue }
      guard let taken = try await turn.records.read(found.key, as: MailedCode.self) else { return .gone }
      // Of digests: how long it takes to compare them tells nothing of how far two codes agree.
      if await digest(digits, id, turn) == found.value.digest { return .right(taken) }
      guard found.value.triesLeft > 0 else { return .gone }
      return .wrong(taken.value, input.trimmed.isEmpty ? .codeMissing : .codeWrong)
    }
    throw .contended
  }

  /// Whether this browser asked for it.
  func isOwn(_ turn: Turn) async -> Bool { await Self.browser(turn) == browser }

  private static func browser(_ turn: Turn) async -> String {
    await turn.services.digest("browser:\(turn.request.formToken)")
  }

  private static func digest(_ digits: String, _ id: String, _ turn: Turn) async -> String {
    await turn.services.digest("code:\(id):\(digits)")
  }

  /// Digits without a bias: numbers over the largest multiple are drawn again.
  private static func number(_ services: any ProviderServices) async -> String {
    let count = (0..<digits).reduce(1 as UInt64) { product, _ in product * 10 }
    let most = UInt64(UInt32.max) / count * count
    while true {
      let drawn = await services.random(4).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      guard drawn < most else { continue }
      let text = String(drawn % count)
      return String(repeating: "0", count: digits - text.count) + text
    }
  }
}
