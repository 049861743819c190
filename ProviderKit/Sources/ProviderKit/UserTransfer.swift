/// One user of an app that moves to another team at the provider.
public struct TransferRequest: Sendable, Hashable, Codable, Redacted {
  /// One side of the move.
  public enum Step: Sendable, Hashable, Codable, Redacted {
    /// The team that has the app asks for an id under which `target` will find the user.
    case give(subject: String, target: String)
    /// The team that has got the app asks who that is.
    case take(transferID: String)
  }

  /// The app.
  public let app: AppDescription
  /// The client id in whose name it is asked.
  public let client: String
  /// What is asked.
  public let step: Step
  /// What the last answer brought for the next request; nil for the first.
  public let session: [UInt8]?

  /// Makes a request.
  public init(app: AppDescription, client: String, step: Step, session: [UInt8]?) {
    self.app = app
    self.client = client
    self.step = step
    self.session = session
  }
}

/// What the provider says.
public struct TransferAnswer: Sendable, Hashable, Codable, Redacted {
  /// By the side of the move.
  public enum Result: Sendable, Hashable, Codable, Redacted {
    /// The user's transfer id.
    case given(String)
    /// The user's subject in the new team, and the address there, where there is one.
    case taken(subject: String, email: String?, isPrivateEmail: Bool)
  }

  /// The answer.
  public let result: Result
  /// What the next request should bring along, such as an access token.
  public let session: [UInt8]

  /// Makes an answer.
  public init(_ result: Result, session: [UInt8]) {
    self.result = result
    self.session = session
  }
}
