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

  /// The page that says that a code is of no use any more.
  var expired: PageAnswer { .page(Pages.expired(frame), status: 400) }

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
  func digest(_ text: String) async -> String { ByteText.hexadecimal(await sha256(Array(text.utf8))) }

  /// A new secret of 128 random bits in hexadecimal.
  func secret() async -> String { ByteText.hexadecimal(await random(16)) }
}
