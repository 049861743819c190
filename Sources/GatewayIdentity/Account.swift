import GatewayStore

/// An account as it is stored.
package struct Account: Sendable, Equatable {
  /// 128 random bits in hexadecimal, and never a provider's subject.
  package let id: String
  /// The app whose own account this is; nil for a regular one.
  package let app: Int64?
  /// Of an app's own account the first name that a sign-in brought; of a regular one the present name.
  package internal(set) var name: String?
  /// The address that the provider stated last.
  package internal(set) var email: String?
  /// What the provider last said of `email`.
  package internal(set) var emailVerified: Bool
  /// Whether `email` is one of the provider's relays.
  package internal(set) var isPrivateEmail: Bool
  /// The URL of a picture.
  package internal(set) var photo: String?

  /// Whether the account is an app's own.
  package var isLocal: Bool { app != nil }

  /// The columns that `init(row:)` reads, of a table called `users`.
  static let columns =
    "users.id, users.app, users.name, users.email, users.email_verified, users.is_private_email, users.photo"

  init(
    id: String, app: Int64?, name: String?, email: String?, emailVerified: Bool, isPrivateEmail: Bool,
    photo: String? = nil
  ) {
    self.id = id
    self.app = app
    self.name = name
    self.email = email
    self.emailVerified = emailVerified
    self.isPrivateEmail = isPrivateEmail
    self.photo = photo
  }

  init(row: Row) throws(StoreError) {
    id = try row.text(0)
    app = try row.optionalInteger(1)
    name = try row.optionalText(2)
    email = try row.optionalText(3)
    emailVerified = try row.flag(4)
    isPrivateEmail = try row.flag(5)
    photo = try row.optionalText(6)
  }
}
