import GatewayBase
import GatewayStore

/// Who did what to an account, when and from where: a row that is added with the act, in its transaction. It holds ids of
/// the gateway alone: no token, no subject, no address of mail. With the account goes the network address, and with its
/// age the row (`ExpiryPruner`); nothing else changes one.
package struct AuditEntry: Sendable {
  package enum Act: String, Sendable {
    case signIn = "sign-in"
    case signOut = "sign-out"
    case delete, revoke
    case sessionsEnded = "sessions-ended"
    case notice, transfer, export
    case link, unlink, adjust
  }

  package enum Actor: String, Sendable {
    /// The account's own user.
    case user
    /// Who proved the identity: a notice of his, or what he told when asked.
    case provider
    /// The command.
    case admin
    /// The app's own server.
    case server
    /// The gateway by itself.
    case gateway
  }

  /// Where an act came from.
  package struct Origin: Sendable {
    package static let none = Origin(address: nil, requestID: nil)

    /// Of the peer, or of whom a trusted peer names.
    let address: String?
    let requestID: String?

    package init(address: IPAddress, requestID: String) {
      self.init(address: "\(address)", requestID: requestID)
    }

    /// As it may stand in an entry of a deleted account.
    var withoutAddress: Origin { Origin(address: nil, requestID: requestID) }

    private init(address: String?, requestID: String?) {
      self.address = address
      self.requestID = requestID
    }
  }

  private let act: Act
  private let app: Int64
  private let user: String
  private let actor: Actor
  private let origin: Origin
  private let detail: String?

  /// - Parameter detail: a few words of the gateway's own.
  package init(
    _ act: Act, app: Int64, user: String, by actor: Actor, from origin: Origin = .none, detail: String? = nil
  ) {
    self.act = act
    self.app = app
    self.user = user
    self.actor = actor
    self.origin = origin
    self.detail = detail
  }

  /// Takes the network addresses out of what is noted of an account in an app, which is being deleted.
  static func removeAddresses(user: String, app: Int64, on connection: any Connection) throws(StoreError) {
    try connection.run(
      "UPDATE audit SET address = NULL WHERE user_id = ? AND app = ? AND address IS NOT NULL",
      [.text(user), .integer(app)])
  }

  func insert(at time: UnixTime, on connection: any Connection) throws(StoreError) {
    try connection.run(
      "INSERT INTO audit (at, act, app, user_id, actor, address, request_id, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .integer(time.milliseconds), .text(act.rawValue), .integer(app), .text(user), .text(actor.rawValue),
        .optional(origin.address), .optional(origin.requestID.map { String($0.prefix(128)) }), .optional(detail),
      ])
  }
}
