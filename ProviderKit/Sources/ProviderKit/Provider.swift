/// A way to sign in: turns a credential of one kind into a verified identity.
///
/// A provider proves who someone is; the gateway alone creates accounts and issues tokens. One instance serves all
/// apps and many requests at once. It keeps no state between requests and reaches the outside only through
/// `ProviderServices`: what goes in and comes out are values that can be sent to another process.
///
/// A trap in a provider ends the process that it runs in, so nothing that a request holds may lead to one.
public protocol Provider: Sendable {
  /// Who this is; must agree with the plugin's `plugin.yaml`.
  var manifest: ProviderManifest { get }

  /// What the client side gets for a credential that `signIn` found good and the gateway refuses: one that was
  /// accepted before, or whose subject is no subject.
  var refusedCredential: ProviderFailure { get }

  /// Judges the credential of one request.
  ///
  /// - Returns: the identity that the credential proves. The gateway refuses it where one of its `replayKeys`
  ///   was accepted before.
  /// - Throws: the answer that the client side gets instead, with the reason that the log gets.
  func signIn(
    _ request: SignInRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> VerifiedIdentity

  /// Makes one attempt at a task.
  ///
  /// - Throws: why it is not done; it is tried again unless that is final.
  func perform(
    _ request: TaskRequest, using services: any ProviderServices
  ) async throws(TaskFailure) -> TaskOutcome

  /// Reads what a deletion's body holds beside the account's own bearer. Called where there is a body, before anything
  /// is deleted. Nothing is used up yet: the gateway keeps the follow-up first, then has it performed, so that what a
  /// code brings is never lost, and then deletes. It is done later where the provider is out of reach.
  ///
  /// - Returns: what `perform` is to do, as the provider itself writes it down; nil for nothing.
  /// - Throws: the answer that the client side gets; nothing is deleted then.
  func prepareDeletion(
    _ request: DeletionRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> [UInt8]?

  /// Judges what came to a route that serves notices.
  ///
  /// - Returns: what the provider tells. The gateway acts on it once, and in the order of time.
  /// - Throws: the answer that its sender gets. Only a message that is not the provider's own, or no message, is
  ///   refused: one that tells nothing known is answered with 200, as its sender would repeat it for ever.
  func readNotice(
    _ request: NoticeRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> ProviderNotice

  /// Begins a sign-in in a browser, on a route that serves `web`.
  ///
  /// - Throws: the answer that the visitor gets, as a page.
  func beginWebSignIn(
    _ request: WebSignInRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> WebStep

  /// Ends a sign-in in a browser, on a route that serves `callback`.
  ///
  /// - Throws: why there is no identity; the browser goes back to the app with that.
  func finishWebSignIn(
    _ callback: WebCallback, using services: any ProviderServices
  ) async throws(ProviderFailure) -> WebOutcome

  /// Answers a browser on a route that serves `pages`.
  ///
  /// - Throws: the answer that the visitor gets, as a page.
  func respond(
    to request: PageRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> PageAnswer

  /// Does one side of one user's move to another team.
  func transfer(
    _ request: TransferRequest, using services: any ProviderServices
  ) async throws(TaskFailure) -> TransferAnswer
}

// A provider that leaves nothing to do has no grants and no tasks.
extension Provider {
  /// Fails for good.
  public func perform(
    _ request: TaskRequest, using services: any ProviderServices
  ) async throws(TaskFailure) -> TaskOutcome {
    throw TaskFailure("the provider knows no such task", isFinal: true)
  }

  /// Nothing is to be done.
  public func prepareDeletion(
    _ request: DeletionRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> [UInt8]? { nil }

  /// There are none.
  public func readNotice(
    _ request: NoticeRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> ProviderNotice {
    throw ProviderFailure(
      status: 404, code: "no_route", message: "This provider sends no notices.", reason: "no notices")
  }

  /// There are none.
  public func beginWebSignIn(
    _ request: WebSignInRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> WebStep { throw .noWeb }

  /// There are none.
  public func finishWebSignIn(
    _ callback: WebCallback, using services: any ProviderServices
  ) async throws(ProviderFailure) -> WebOutcome { throw .noWeb }

  /// There are none.
  public func respond(
    to request: PageRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> PageAnswer { throw .noWeb }

  /// There are no teams.
  public func transfer(
    _ request: TransferRequest, using services: any ProviderServices
  ) async throws(TaskFailure) -> TransferAnswer {
    throw TaskFailure("the provider moves no users", isFinal: true)
  }
}

extension ProviderFailure {
  fileprivate static let noWeb = ProviderFailure(
    status: 404, code: "no_route", message: "This provider has no sign-in in a browser.", reason: "no web sign-in")
}

/// The name and version of a provider.
public struct ProviderManifest: Sendable, Hashable, Codable {
  /// What apps list under `providers`, for example `apple-native`.
  public let name: String
  /// The plugin's own version, for example `1.0.0`.
  public let version: String

  /// Makes a manifest.
  public init(name: String, version: String) {
    self.name = name
    self.version = version
  }
}
