import Foundation

/// How the platform knows the app.
public enum AppName: Sendable, Hashable {
  /// The app's number.
  case id(Int64)
  /// One of the app's domains.
  case domain(String)
}

/// What a client must know of the platform and of its own app. Nothing of it is secret.
public struct SpeedAuthConfiguration: Sendable, Hashable {
  /// The platform's API.
  public let api: URL
  /// The platform's pages.
  public let dash: URL
  /// The app.
  public let app: AppName
  /// The scheme by which the pages come back to the app, without `://`; nil for an app without Continue with Speed.
  public let callbackScheme: String?
  /// What requests say as `X-Speed-Request-From`.
  public let requestFrom: String
  /// Where requests may carry the user's token: the app's own origins.
  let origins: Set<Origin>

  /// - Parameters:
  ///   - app: the app's number, or one of its domains.
  ///   - origins: the app's own origins, such as `https://yourapp.spdso.app`. Requests to them, and to no other host,
  ///     carry the user's token. Empty, they are that of `app`, where it is a domain.
  ///   - callbackScheme: one of the app's URL schemes, registered with the platform, without `://`.
  ///   - requestFrom: a value of `X-Speed-Request-From` that the app allows.
  /// - Throws: `ConfigurationFault`.
  public init(
    app: AppName, origins: [String] = [], callbackScheme: String? = nil, api: String = "https://api.speed.so",
    dash: String = "https://dash.speed.so", requestFrom: String = "app"
  ) throws(ConfigurationFault) {
    self.api = try Origin(named: api).url
    self.dash = try Origin(named: dash).url
    self.app = app
    var names = origins
    if names.isEmpty, case .domain(let domain) = app { names = ["https://\(domain)"] }
    var own: Set<Origin> = []
    for name in names { own.insert(try Origin(named: name)) }
    self.origins = own
    if let callbackScheme, callbackScheme.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.-]*/) == nil {
      throw .invalidScheme(callbackScheme)
    }
    self.callbackScheme = callbackScheme
    self.requestFrom = requestFrom
  }

  /// Whether a URL lies on one of the app's own origins.
  func isOwn(_ url: URL) -> Bool { Origin(of: url).map(origins.contains) ?? false }
}

/// What is wrong with a configuration.
public enum ConfigurationFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// Not `https://host` with at most a port. `http` is for loopback alone.
  case invalidOrigin(String)
  /// No URL scheme by RFC 3986 section 3.1; it stands without `://`.
  case invalidScheme(String)

  /// One sentence for a developer.
  public var description: String {
    switch self {
    case .invalidOrigin(let text): "\"\(text)\" is no origin: write https://host, without a path; http is for loopback."
    case .invalidScheme(let text): "\"\(text)\" is no URL scheme: letters, digits, +, - and ., without ://."
    }
  }
}
