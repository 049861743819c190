import GatewayBase

/// What a provider's own service tells about users of an app.
package struct VerifiedNotice: Sendable {
  package struct Event: Sendable {
    package enum Kind: String, Sendable {
      case consentWithdrawn = "consent-withdrawn"
      case accountDeleted = "account-deleted"
      case emailDisabled = "email-disabled"
      case emailEnabled = "email-enabled"
    }

    let kind: Kind
    let issuer: String
    let team: String?
    let subject: String
    let time: UnixTime

    package init(_ kind: Kind, issuer: String, team: String?, subject: String, time: UnixTime) {
      self.kind = kind
      self.issuer = issuer
      self.team = team
      self.subject = subject
      self.time = time
    }
  }

  /// What a notice has led to for one user.
  package struct Effect: Sendable, Equatable {
    package let user: String
    package let kind: String
  }

  let app: Int64
  /// The same for a repeat.
  let replayKey: ReplayKey
  /// In the order of time.
  let events: [Event]

  package init(app: Int64, replayKey: ReplayKey, events: [Event]) {
    self.app = app
    self.replayKey = replayKey
    self.events = events.sorted { $0.time < $1.time }
  }
}
