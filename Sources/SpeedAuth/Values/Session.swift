import Foundation

/// How a user signed in: where to take them when the session has ended.
public enum SignInMethod: String, Sendable, Hashable, Codable {
  /// Sign in with Apple.
  case apple
  /// Continue with Speed.
  case speed
  /// A sign-in that the app made elsewhere.
  case relay
}

/// The signed-in user.
public struct User: Sendable, Hashable, Codable, Redacted {
  /// What the app's own rows are keyed by.
  public let id: String
  /// The name for people, where one is known.
  public let name: String?
  /// The address of mail, where one is known. Many accounts have none.
  public let email: String?
  /// The picture, where there is one.
  public let photo: URL?

  /// Makes a user.
  public init(id: String, name: String? = nil, email: String? = nil, photo: URL? = nil) {
    self.id = id
    self.name = name
    self.email = email
    self.photo = photo
  }

  /// Reads one; a picture whose address is none counts as absent.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    name = try container.decodeIfPresent(String.self, forKey: .name)
    email = try container.decodeIfPresent(String.self, forKey: .email)
    photo = try container.decodeIfPresent(String.self, forKey: .photo).flatMap { URL(string: $0) }
  }
}

/// A session of the app: who is signed in, and what proves it.
public struct Session: Sendable, Hashable, Codable, Redacted {
  /// What requests carry.
  public internal(set) var token: AccessToken
  /// When `token` ends, by the platform's clock.
  public internal(set) var expiresAt: Date
  /// What the next token is got for, where the app has opted in.
  public internal(set) var refreshToken: RefreshToken?
  /// Who is signed in.
  public internal(set) var user: User
  /// The role in the app.
  public internal(set) var role: String
  /// The account's stable name for StoreKit: its `appAccountToken`. It is no credential.
  public internal(set) var appUserUUID: UUID
  /// Whether the account is the app's own and could still be linked: whether to show the linking entry.
  public internal(set) var isLocalUser: Bool
  /// How the user signed in.
  public internal(set) var method: SignInMethod
}

/// The signed-in user as the platform knows them now.
public struct Profile: Sendable, Hashable, Redacted {
  /// Who is signed in.
  public let user: User
  /// The role in the app.
  public let role: String
  /// As in `Session`.
  public let appUserUUID: UUID
  /// As in `Session`.
  public let isLocalUser: Bool
  /// Where the user stands, as at the sign-in.
  public let state: SignInState
  /// What the user has in the app, in whole units.
  public let balance: Int64
}
