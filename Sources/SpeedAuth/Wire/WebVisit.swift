import Foundation

/// A visit to the platform's sign-in page, which `ASWebAuthenticationSession` or a browser makes.
public struct SignInVisit: Sendable, Hashable, Redacted {
  let visit: WebVisit

  /// What to open.
  public var url: URL { visit.url }
  /// The scheme of the URL that ends the visit.
  public var callbackScheme: String { visit.callbackScheme }
}

/// A visit to the platform's page for linking. It brings a `SpeedToken`, and never a session.
public struct LinkVisit: Sendable, Hashable, Redacted {
  let visit: WebVisit

  /// What to open.
  public var url: URL { visit.url }
  /// The scheme of the URL that ends the visit.
  public var callbackScheme: String { visit.callbackScheme }
}

/// What both kinds of visit have: the page, where it ends, and who alone can use what it brings.
struct WebVisit: Sendable, Hashable, Redacted {
  let url: URL
  let callbackScheme: String
  private let redirect: String
  /// Nil where the answer itself comes back, and no code for it.
  let verifier: String?

  /// - Parameters:
  ///   - path: what follows `://` in the redirect, which tells the visits of an app apart.
  ///   - isLinking: whether the page is asked for a token for linking.
  ///   - bringsCode: whether a code comes back, for this client alone (RFC 7636), in place of the answer.
  init(
    _ configuration: SpeedAuthConfiguration, path: String, isLinking: Bool, bringsCode: Bool
  ) throws(SpeedAuthError) {
    guard let scheme = configuration.callbackScheme else { throw .notConfigured("callbackScheme") }
    callbackScheme = scheme
    redirect = "\(scheme)://\(path)"
    verifier = bringsCode ? RandomText.fresh() : nil
    var query =
      switch configuration.app {
      case .id(let id): [URLQueryItem(name: "appId", value: "\(id)")]
      case .domain(let domain): [URLQueryItem(name: "domain", value: domain)]
      }
    query.append(URLQueryItem(name: "redirect", value: redirect))
    if isLinking { query.append(URLQueryItem(name: "link", value: "1")) }
    if let verifier {
      let challenge = Base64URL.encode(SHA256.digest(Array(verifier.utf8)))
      query.append(URLQueryItem(name: "code_challenge", value: challenge))
      query.append(URLQueryItem(name: "code_challenge_method", value: "S256"))
    }
    url = configuration.dash.appending(path: "platform/auth").appending(queryItems: query)
  }

  /// What a page brought back.
  enum Arrival {
    /// To be exchanged, with the verifier.
    case code(String, verifier: String)
    case answer(SignInAnswer)
  }

  /// Judges the URL that ended the visit. One that this visit did not ask for could be anybody's: a visit with a code
  /// takes codes alone, which are worth nothing without its verifier.
  func arrival(at callback: URL) throws(SpeedAuthError) -> Arrival {
    guard let parts = URLComponents(url: callback, resolvingAgainstBaseURL: false),
      let expected = URLComponents(string: redirect), parts.scheme?.lowercased() == expected.scheme?.lowercased(),
      parts.host == expected.host, parts.path == expected.path
    else { throw .invalidCallback("another redirect") }
    func value(_ name: String) -> String? { parts.queryItems?.first { $0.name == name }?.value }
    if let error = value("error") { throw error == "access_denied" ? .declined : .invalidCallback(error) }
    guard let verifier else {
      guard let data = value("_speed_auth_data") else { throw .invalidCallback("no _speed_auth_data") }
      return .answer(try PlatformCalls.decoded(Data(data.utf8), status: 200))
    }
    guard let code = value("code") else { throw .invalidCallback("no code") }
    return .code(code, verifier: verifier)
  }
}
