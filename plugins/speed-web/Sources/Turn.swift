import ProviderKit

/// One request that is being answered: what came, what the gateway does for it, who the browser is.
struct Turn: Sendable {
  let request: PageRequest
  let services: any ProviderServices
  /// Unix time in milliseconds; the same for the whole turn.
  let now: Int64
  let frame: PageFrame
  let records: Records

  init(_ request: PageRequest, _ services: any ProviderServices, now: Int64) {
    self.request = request
    self.services = services
    self.now = now
    frame = PageFrame(request: request)
    records = Records(services: services)
  }

  var visit: Visit? { request.visit }
  var people: PersonStore { PersonStore(records: records, services: services) }

  /// A field of the form as it was sent; empty where there is none.
  func field(_ name: String) -> String { request.form?[name] ?? "" }
  func field(_ field: Field) -> String { self.field(field.rawValue) }

  /// What the query of a redirect said was done.
  var notice: Notice? { request.query[Notice.queryField].flatMap(Notice.init) }

  /// What this browser keeps, read.
  var cookie: BrowserCookie? { request.session.flatMap(BrowserCookie.init) }

  /// The person that this browser is signed in as.
  func person() async throws(ProviderFailure) -> SignedIn? {
    guard let cookie, let digest = try await sessionDigest(cookie), let found = try await people.person(cookie.person),
      let session = found.value.session(digest, now: now)
    else { return nil }
    return SignedIn(person: found, session: session)
  }

  private func sessionDigest(_ cookie: BrowserCookie) async throws(ProviderFailure) -> String? {
    guard !cookie.session.isEmpty else { return nil }
    return await services.digest("session:\(cookie.session)")
  }

  /// An absolute link into the pages, for a letter.
  func link(_ path: PagePath, _ fields: [(String, String)] = []) -> String {
    request.origin + path.link(visit, fields)
  }

  func redirect(to path: PagePath, _ fields: [(String, String)] = [], session: PageAnswer.Session = .unchanged)
    -> PageAnswer
  {
    PageAnswer(.redirect(path.link(visit, fields)), session: session)
  }

  /// Where a browser goes on that has just signed in: to the app that it came from, or to the account.
  func goOn(session: PageAnswer.Session) -> PageAnswer {
    redirect(to: visit == nil ? .account : .entrance, session: session)
  }
}

/// The person that a browser is signed in as.
struct SignedIn: Sendable {
  let person: Stored<Person>
  let session: Person.Session
}

extension ProviderServices {
  /// The SHA-256 of a text in hexadecimal: what is kept of a secret, and what stands for an address in a record's name.
  func digest(_ text: String) async -> String { Hexadecimal.text(await sha256(Array(text.utf8))) }

  /// A new secret of 128 random bits in hexadecimal.
  func secret() async -> String { Hexadecimal.text(await random(16)) }
}

enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for at in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[at]), let low = value(digits[at + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
