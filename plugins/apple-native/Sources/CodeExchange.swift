import FoundationEssentials
import ProviderKit

/// An authorization code that is still to be exchanged: what the plugin writes down for itself as a follow-up.
struct CodeExchange: Codable {
  let code: String
  /// The client ids to try, the likeliest first: a code is good for the one that it was given to.
  let clients: [String]
  /// SHA-256 of the user's `sub`: the code must be the same user's. A digest, as work that waits must not know people.
  let subjectDigest: [UInt8]
  /// That of the authorization; nil for a code of an app.
  var redirectURI: String?
  /// When the code was taken in, in Unix milliseconds.
  let takenAt: Int64

  /// Bytes that a code may have; Apple's have about 60.
  static let codeBytes = 1024
  /// Milliseconds after which no code is good any more, with something to spare.
  private static let lifetime: Int64 = 600_000

  /// Nil where there is no code, or a text that can be none.
  init?(
    code: String?, clients: [String], subject: String, redirectURI: String? = nil, using services: any ProviderServices
  ) async {
    guard let code, (1...Self.codeBytes).contains(code.utf8.count), !ByteText.hasControls(code) else { return nil }
    self.code = code
    self.clients = clients
    self.redirectURI = redirectURI
    subjectDigest = await services.sha256(Array(subject.utf8))
    takenAt = await services.now
  }

  init?(followUp: [UInt8]) {
    guard let known = try? JSONDecoder().decode(CodeExchange.self, from: Data(followUp)) else { return nil }
    self = known
  }

  /// As the gateway keeps it.
  var followUp: [UInt8]? { (try? JSONEncoder().encode(self)).map { Array($0) } }

  /// What an exchange came to.
  enum Result {
    case granted(ProviderGrant)
    /// Good, but no refresh token came.
    case nothing
    /// The code is another user's: it is left alone.
    case anotherUser
  }

  /// Exchanges the code.
  ///
  /// - Throws: for the likeliest client, where no client's exchange succeeds.
  func run(_ service: AppleTokenService) async throws(AppleFailure) -> Result {
    if await service.services.now - takenAt > Self.lifetime { throw .refused(.invalidGrant) }
    var first: AppleFailure?
    for client in clients {
      do throws(AppleFailure) {
        return await result(
          try await service.exchange(code: code, client: client, redirectURI: redirectURI), client, service)
      } catch {
        first = first ?? error
        // Another client's code; a key or a service that fails would fail the others too.
        if case .refused(.invalidGrant) = error { continue }
        throw error
      }
    }
    throw first ?? .refused(.invalidGrant)
  }

  private func result(
    _ tokens: AppleTokenService.Tokens, _ client: String, _ service: AppleTokenService
  ) async -> Result {
    if let subject = tokens.subject {
      guard await service.services.sha256(Array(subject.utf8)) == subjectDigest else { return .anotherUser }
    }
    guard let token = tokens.refreshToken else { return .nothing }
    return .granted(ProviderGrant(client: client, secret: Array(token.utf8)))
  }
}
