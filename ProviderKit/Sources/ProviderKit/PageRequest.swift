/// A request of a browser for a page of the provider, on a route that serves `pages`. The gateway has checked that a
/// form comes from a page that this browser was shown.
public struct PageRequest: Sendable, Hashable, Codable, Redacted {
  /// What the browser is here for; nil where its query names no app, as on a page about the account itself.
  public let visit: Visit?
  /// The path, as `plugin.yaml` lists it: tells the pages of one plugin apart.
  public let path: String
  /// The fields of the query but for those of the visit, decoded. A query that has one twice never comes here.
  public let query: [String: String]
  /// The fields of a posted form, decoded; nil for GET.
  public let form: [String: String]?
  /// What the browser keeps for the provider (`PageAnswer.session`); nil where it has nothing.
  public let session: String?
  /// What every form must carry in the field `PageRequest.formField`: proves that it was shown to this browser. It stays
  /// the same for as long as the browser keeps its cookies, and no other browser has it.
  public let formToken: String
  /// What inline scripts and styles of a page must carry as their `nonce`.
  public let scriptNonce: String
  /// The languages that the browser asks for, best first: tags of RFC 5646 in lower case, for example `de-at`.
  public let languages: [String]
  /// Where the request came from, in the form by which guesses are counted: an IPv6 address is cut to its /64.
  public let address: String
  /// What the browser calls itself, 256 bytes at most; nothing proves it.
  public let userAgent: String?
  /// Scheme, host and port under which the browser sees these pages, for example `https://dash.example.com`.
  public let origin: String
  /// The id under which the log knows this request.
  public let requestID: String

  /// The name of the hidden field that every form has.
  public static let formField = "form_token"

  /// Makes a request.
  public init(
    visit: Visit?, path: String, query: [String: String] = [:], form: [String: String]? = nil, session: String? = nil,
    formToken: String, scriptNonce: String, languages: [String] = [], address: String, userAgent: String? = nil,
    origin: String, requestID: String
  ) {
    self.visit = visit
    self.path = path
    self.query = query
    self.form = form
    self.session = session
    self.formToken = formToken
    self.scriptNonce = scriptNonce
    self.languages = languages
    self.address = address
    self.userAgent = userAgent
    self.origin = origin
    self.requestID = requestID
  }
}

/// Why a browser has come: an app sent it, and wants it back. Where it goes in the end was judged before the provider
/// hears of it.
public struct Visit: Sendable, Hashable, Codable, Redacted {
  /// The app.
  public let app: AppDescription
  /// The app's logo as a `data:` URL, where it has one.
  public let logo: String?
  /// Whether the app wants to link an account of its own: then the user must always be asked, and is not registered with
  /// the app.
  public let isLinking: Bool
  /// The visit as a query, to be carried on by every link and every form's `action`; without a question mark.
  public let query: String

  /// Makes a visit.
  public init(app: AppDescription, logo: String?, isLinking: Bool, query: String) {
    self.app = app
    self.logo = logo
    self.isLinking = isLinking
    self.query = query
  }
}

/// What a provider answers to a browser.
public struct PageAnswer: Sendable, Hashable, Codable, Redacted {
  /// What the browser shows or where it goes.
  public enum Content: Sendable, Hashable, Codable, Redacted {
    /// This HTML, with scripts and styles that carry the request's nonce and nothing from elsewhere.
    ///
    /// - status: 200–203, 400–499 or 503: those with which a browser shows it.
    case page(HTML, status: Int)
    /// Another page of this gateway: a path with an optional query, beginning with `/platform/`.
    case redirect(String)
    /// The end of the visit: the browser goes back to the app with this.
    case finished(WebOutcome)
  }

  /// What becomes of what the browser keeps for the provider.
  public enum Session: Sendable, Hashable, Codable, Redacted {
    /// It stays.
    case unchanged
    /// This is kept: letters, digits, `-` and `_`, 256 bytes at most.
    ///
    /// - seconds: for how long; nil until the browser is closed.
    case keep(String, seconds: Int?)
    /// It is forgotten.
    case forget
  }

  /// What the browser shows or where it goes.
  public let content: Content
  /// What becomes of what the browser keeps for the provider: a cookie that scripts can't read and other sites' forms
  /// don't send.
  public let session: Session
  /// Seconds after which another try makes sense, for `Retry-After`: of a page with the status 429 or 503.
  public let retryAfter: Int?

  /// Makes an answer.
  public init(_ content: Content, session: Session = .unchanged, retryAfter: Int? = nil) {
    self.content = content
    self.session = session
    self.retryAfter = retryAfter
  }

  /// A page.
  public static func page(_ html: HTML, status: Int = 200, retryAfter: Int? = nil) -> PageAnswer {
    PageAnswer(.page(html, status: status), retryAfter: retryAfter)
  }
}
