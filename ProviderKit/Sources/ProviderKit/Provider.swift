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
