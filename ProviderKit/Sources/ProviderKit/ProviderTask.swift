/// Work at a provider that the gateway keeps until it is done: at once, then again and again with growing pauses, also
/// after a restart. It is done at least once, so doing it twice must do no harm.
public enum ProviderTask: Sendable, Hashable, Codable, Redacted {
  /// What a sign-in or a deletion left to do, as the provider itself wrote it down.
  case followUp([UInt8])
  /// A grant is of no use any more: its account is gone, or a later grant took its place.
  case release(ProviderGrant)
  /// Whether a grant still stands; asked about once a day.
  case check(ProviderGrant)
}

/// A credential of a provider that the gateway keeps for an account, sealed, until it releases it.
public struct ProviderGrant: Sendable, Hashable, Codable, Redacted {
  /// The id at the provider that it was given to, by which alone it can be used: for Apple a bundle ID or a Services ID.
  public let client: String
  /// The credential, for example a refresh token: 4 KiB at most.
  public let secret: [UInt8]

  /// Makes a grant.
  public init(client: String, secret: [UInt8]) {
    self.client = client
    self.secret = secret
  }
}

/// One attempt at a task.
public struct TaskRequest: Sendable, Hashable, Codable, Redacted {
  /// The app that the task is for.
  public let app: AppDescription
  /// What to do.
  public let task: ProviderTask

  /// Makes a request.
  public init(app: AppDescription, task: ProviderTask) {
    self.app = app
    self.task = task
  }
}

/// What came of a task.
public enum TaskOutcome: Sendable, Hashable, Codable, Redacted {
  /// There is nothing more to do.
  case done
  /// The gateway keeps this grant for the account, in place of an earlier one of the same client; where the account is
  /// gone it releases it.
  case granted(ProviderGrant)
  /// The user has taken a grant back at the provider: the gateway ends the sessions.
  case withdrawn
  /// There is nothing more to do, as what was left to do is not the account's own. A deletion that brought it is refused
  /// with this.
  case refused(ProviderFailure)
}

/// Why a task was not done.
public struct TaskFailure: Error, Sendable, Hashable, Codable {
  /// For the log and the list of waiting tasks, as a few constant words. Never a token, a claim or other input.
  public let reason: String
  /// Whether another attempt can't help either, so that the gateway gives up now.
  public let isFinal: Bool

  /// Makes a failure.
  public init(_ reason: String, isFinal: Bool = false) {
    self.reason = reason
    self.isFinal = isFinal
  }
}

/// The deletion of an account that signed in through the provider, before anything is deleted.
public struct DeletionRequest: Sendable, Hashable, Codable, Redacted {
  /// The app that the account is of.
  public let app: AppDescription
  /// The user's id at the provider.
  public let subject: String
  /// The client id that the last sign-in was for.
  public let client: String?
  /// The request's body: bytes of a JSON object, its fields not judged yet.
  public let body: [UInt8]
  /// The id under which the log knows this request.
  public let requestID: String

  /// Makes a request.
  public init(app: AppDescription, subject: String, client: String?, body: [UInt8], requestID: String) {
    self.app = app
    self.subject = subject
    self.client = client
    self.body = body
    self.requestID = requestID
  }
}
