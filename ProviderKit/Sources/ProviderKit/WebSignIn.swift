/// The beginning of a sign-in in a browser. The gateway has found the app and judged where the browser goes in the end.
public struct WebSignInRequest: Sendable, Hashable, Codable, Redacted {
  /// The app.
  public let app: AppDescription
  /// Where the provider must send the browser back to.
  public let callbackURL: String
  /// What must come back with it: the gateway knows the sign-in by it, and the browser by a cookie.
  public let state: String
  /// What the credential must carry.
  public let nonce: String
  /// Whether the app's page asks for a page of its own in place of a redirect.
  public let wantsPage: Bool
  /// What inline scripts and styles of a page must carry as their `nonce`.
  public let scriptNonce: String
  /// The id under which the log knows this request.
  public let requestID: String

  /// Makes a request.
  public init(
    app: AppDescription, callbackURL: String, state: String, nonce: String, wantsPage: Bool, scriptNonce: String,
    requestID: String
  ) {
    self.app = app
    self.callbackURL = callbackURL
    self.state = state
    self.nonce = nonce
    self.wantsPage = wantsPage
    self.scriptNonce = scriptNonce
    self.requestID = requestID
  }
}

/// Where a browser goes to sign in.
public enum WebStep: Sendable, Hashable, Codable, Redacted {
  /// To a page of the provider.
  case redirect(String)
  /// Nowhere: this HTML is shown, with scripts of this origin besides those with the request's nonce.
  case page(html: HTML, scriptOrigin: String)
}

/// What came back from the provider by way of the browser.
public struct WebCallback: Sendable, Hashable, Codable, Redacted {
  /// The app.
  public let app: AppDescription
  /// Where it came back to, as the sign-in's beginning named it.
  public let callbackURL: String
  /// The nonce of the sign-in's beginning.
  public let nonce: String
  /// The fields of the form, not judged yet; `state` has been.
  public let fields: [String: String]
  /// The id under which the log knows this request.
  public let requestID: String

  /// Makes a callback.
  public init(
    app: AppDescription, callbackURL: String, nonce: String, fields: [String: String], requestID: String
  ) {
    self.app = app
    self.callbackURL = callbackURL
    self.nonce = nonce
    self.fields = fields
    self.requestID = requestID
  }
}

/// How a sign-in in a browser ended.
public enum WebOutcome: Sendable, Hashable, Codable, Redacted {
  /// With a proven identity.
  case identity(VerifiedIdentity)
  /// The user did not want to.
  case declined
}
