// The Swift files of a new plugin.
extension PluginStart {
  var package: String {
    """
    // swift-tools-version: 6.2
    \(Self.imported) PackageDescription

    // The kit of the gateway that loads the plugin: it must be of the same version, and built by the same compiler.
    let kit = Context.environment["SPEED_PROVIDER_KIT"] ?? \(quoted(kit))
    let providerKit: Target.Dependency = .product(name: "ProviderKit", package: "ProviderKit")

    let package = Package(
      name: "\(name)",
      products: [.library(name: "\(module)", type: .dynamic, targets: ["\(module)Entry"])],
      dependencies: [.package(name: "ProviderKit", path: kit)],
      targets: [
        // The provider.
        .target(name: "\(module)", dependencies: [providerKit]),
        // The function that hands it over, apart so that the tests do without it.
        .target(
          name: "\(module)Entry",
          dependencies: ["\(module)", providerKit, .product(name: "ProviderNote", package: "ProviderKit")],
          // Where the gateway keeps Swift's libraries, on a machine without Swift.
          linkerSettings: [.unsafeFlags(["-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../../swift"])]),
        .testTarget(
          name: "\(module)Tests",
          dependencies: ["\(module)", providerKit, .product(name: "PluginTesting", package: "ProviderKit")]),
      ]
    )

    """
  }

  /// A Swift string literal.
  private func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  var provider: String {
    """
    \(Self.imported) FoundationEssentials
    \(Self.imported) ProviderKit

    /// Signs in the members of a club by the code that each of them has got.
    ///
    /// One instance serves all apps and many requests at once: it keeps nothing between them. Nothing that a request holds
    /// may make it trap.
    public struct \(type)Provider: Provider {
      /// As in `plugin.yaml`.
      public let manifest = ProviderManifest(name: "\(name)", version: "1.0.0")

      /// What the client side gets for a credential that was good once and is not any more.
      public let refusedCredential = Self.refusal("used before")

      /// SHA-256 of each member's code, in hex, and who that is. A code must be long and random, as this one is:
      /// `\(Self.code)`.
      static let members = [
        "\(Self.digest)": "Ada"
      ]

      public init() {}

      public func signIn(
        _ request: SignInRequest, using services: any ProviderServices
      ) async throws(ProviderFailure) -> VerifiedIdentity {
        // The body is a JSON object, and nothing more is known of it.
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(request.body)) else {
          throw Self.refusal("no code")
        }
        let digest = ByteText.hexadecimal(await services.sha256(Array(body.code.utf8)))
        guard let name = Self.members[digest] else { throw Self.refusal("no member's code") }
        // The subject is the account: it must never change, and never be another person's. A code is good again and
        // again; for what is good once, such as a token, see `ReplayKey`.
        return VerifiedIdentity(issuer: "\(name)", subject: digest, fullName: name, replayKeys: [])
      }

      /// The reason goes to the log, so it is a few constant words.
      private static func refusal(_ reason: String) -> ProviderFailure {
        ProviderFailure(
          status: 401, code: "invalid_member_code", message: "The code is not a member's.", reason: reason)
      }

      private struct Body: Decodable {
        let code: String
      }
    }

    """
  }

  var tests: String {
    """
    \(Self.imported) PluginTesting
    \(Self.imported) ProviderKit
    \(Self.imported) Testing

    @testable \(Self.imported) \(module)

    @Suite struct \(type)ProviderTests {
      /// `FakeServices` stands for the gateway.
      private func signIn(_ body: String) async throws -> VerifiedIdentity {
        let request = SignInRequest(
          app: AppDescription(appID: 1, name: "Notes"), route: "/api/platform/auth/\(name)", body: Array(body.utf8),
          requestID: "r-1")
        return try await \(type)Provider().signIn(request, using: FakeServices())
      }

      @Test("a member's code signs the member in")
      func member() async throws {
        let identity = try await signIn(#"{ "code": "\(Self.code)" }"#)
        #expect(identity.fullName == "Ada" && identity.subject == \(type)Provider.members.keys.first)
      }

      @Test("another code, and a body without one, are refused", arguments: [#"{ "code": "x" }"#, "{}", "[]"])
      func others(body: String) async throws {
        let failure = await #expect(throws: ProviderFailure.self) { try await signIn(body) }
        #expect(failure?.status == 401 && failure?.code == "invalid_member_code")
      }
    }

    """
  }

  static let code = "Zx3hWq8T1vLmKc7RbN5yPd"
  static let digest = "f783f513d95cb8726903e599ef3b234839c55682c3a1465a1670387d6670a071"
}
