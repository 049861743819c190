/// A message that a provider's own service sends the gateway about users of an app.
public struct NoticeRequest: Sendable, Hashable, Codable, Redacted {
  /// The app that the path named.
  public let app: AppDescription
  /// The request's body, not judged yet: JSON or a form.
  public let body: [UInt8]
  /// The id under which the log knows this request.
  public let requestID: String

  /// Makes a request.
  public init(app: AppDescription, body: [UInt8], requestID: String) {
    self.app = app
    self.body = body
    self.requestID = requestID
  }
}

/// A message that is the provider's own, and what it tells.
public struct ProviderNotice: Sendable, Hashable, Codable, Redacted {
  /// Under which a repeat is known: it does nothing.
  public let replayKey: ReplayKey
  /// What happened, in any order; empty where the provider tells something that nobody here knows.
  public let events: [ProviderEvent]

  /// Makes a notice.
  public init(replayKey: ReplayKey, events: [ProviderEvent]) {
    self.replayKey = replayKey
    self.events = events
  }
}

/// Something that happened to a user at the provider.
public struct ProviderEvent: Sendable, Hashable, Codable, Redacted {
  /// What happened.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// The user took back the consent: the gateway ends the sessions.
    case consentWithdrawn = "consent-withdrawn"
    /// The user's account at the provider is gone: the gateway deletes its own.
    case accountDeleted = "account-deleted"
    /// The user's relay address takes no mail any more.
    case emailDisabled = "email-disabled"
    /// It takes mail again.
    case emailEnabled = "email-enabled"
  }

  /// What happened.
  public let kind: Kind
  /// As in `VerifiedIdentity`.
  public let issuer: String
  /// As in `VerifiedIdentity`.
  public let team: String?
  /// The user's id at the provider.
  public let subject: String
  /// When it happened: Unix time in milliseconds. What happened before the user's last sign-in has no effect.
  public let time: Int64

  /// Makes an event.
  public init(_ kind: Kind, issuer: String, team: String?, subject: String, time: Int64) {
    self.kind = kind
    self.issuer = issuer
    self.team = team
    self.subject = subject
    self.time = time
  }
}
