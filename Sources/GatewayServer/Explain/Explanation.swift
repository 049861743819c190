import GatewayBase

/// What becomes of a request, and by which lines of which files.
package struct Explanation: Sendable {
  /// One thing that was decided.
  package struct Step: Sendable {
    /// What is decided, in one word: `host`, `route`, `auth`.
    package let name: String
    package let value: String
    /// `file:line:column` of what decides it; nil where a default does, or no file.
    package let place: String?
    /// Whether it is a rule of the app that its file says nothing of.
    package var isDefault: Bool { isRule && place == nil }
    private let isRule: Bool

    init(_ name: String, _ value: String, at place: String?, isRule: Bool) {
      self.name = name
      self.value = value
      self.place = place
      self.isRule = isRule
    }
  }

  /// An answer of the gateway in place of a backend's.
  package struct Refused: Sendable {
    package let status: UInt16
    package let code: String
    package let message: String
    /// What the rest of the explanation takes for given, so that it can go on; nil where it ends with this.
    package let assumption: String?
  }

  package struct App: Sendable {
    package let id: Int64
    package let name: String
    package let file: String
  }

  package struct Backend: Sendable {
    package let name: String
    package let policy: String
    package let servers: [String]
  }

  package internal(set) var app: App?
  /// The path of the route that takes it.
  package internal(set) var route: String?
  package internal(set) var backend: Backend?
  package internal(set) var steps: [Step] = []
  /// Why it does not reach the backend as it is, in the order in which it would be found out.
  package internal(set) var refusals: [Refused] = []
  /// The methods that the route takes, where that is why it is refused.
  package internal(set) var allow: String?
  /// The gateway's own answer, where that is none of its refusals.
  package internal(set) var answer: (status: UInt16, fields: [String])?
  /// The head that the backend gets: the request line, then fields. Secrets are left out.
  package internal(set) var head: [String] = []
  /// Fields that the answer gets besides the backend's.
  package internal(set) var answerFields: [String] = []

  /// Whether an app's route or the gateway itself takes it.
  package internal(set) var isMatched = false
}
