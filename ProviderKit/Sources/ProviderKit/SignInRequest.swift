/// One sign-in, as the client side sent it, and the app that it is for.
public struct SignInRequest: Sendable, Hashable, Codable, Redacted {
  /// The app that `appId` or `domain` of the body named: the gateway has found it already.
  public let app: AppDescription
  /// The path that was called, as `plugin.yaml` lists it: tells the routes of one plugin apart.
  public let route: String
  /// The request's body: bytes of a JSON object, its fields not judged yet.
  public let body: [UInt8]
  /// The id under which the log knows this request.
  public let requestID: String

  /// Makes a request.
  public init(app: AppDescription, route: String, body: [UInt8], requestID: String) {
    self.app = app
    self.route = route
    self.body = body
    self.requestID = requestID
  }
}

/// What a provider may know about an app.
public struct AppDescription: Sendable, Hashable, Codable {
  /// The app's number, unique on this gateway.
  public let appID: Int64
  /// Its name for people.
  public let name: String
  /// Its domains in canonical form.
  public let domains: [String]
  /// Its iOS bundle IDs: the audiences of native tokens.
  public let bundleIDs: [String]
  /// Those of its bundle IDs, and its Services ID, that another app claims too: nobody signs in with them until one app
  /// drops them.
  public let conflictedBundleIDs: [String]
  /// Its Apple developer team, where the tenant file names one.
  public let teamID: String?
  /// Its Services ID: the audience of tokens of the web flow.
  public let servicesID: String?
  /// Whether the tenant file names a key with which `ProviderServices.sign` signs for the app.
  public let hasSignInKey: Bool
  /// Where its users sign in before they come here; empty where its file does not say.
  public let relay: RelayDescription

  /// Makes a description.
  public init(
    appID: Int64, name: String, domains: [String] = [], bundleIDs: [String] = [], conflictedBundleIDs: [String] = [],
    teamID: String? = nil, servicesID: String? = nil, hasSignInKey: Bool = false,
    relay: RelayDescription = RelayDescription()
  ) {
    self.appID = appID
    self.name = name
    self.domains = domains
    self.bundleIDs = bundleIDs
    self.conflictedBundleIDs = conflictedBundleIDs
    self.teamID = teamID
    self.servicesID = servicesID
    self.hasSignInKey = hasSignInKey
    self.relay = relay
  }
}
