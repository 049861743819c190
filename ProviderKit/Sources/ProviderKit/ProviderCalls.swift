/// A form that a provider posts (`application/x-www-form-urlencoded`).
public struct FormPost: Sendable, Hashable, Codable, Redacted {
  /// A field of a form.
  public struct Field: Sendable, Hashable, Codable, Redacted {
    /// Its name.
    public let name: String
    /// Its value, not encoded yet.
    public let value: String

    /// Makes a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Where it goes: `https`, or plain `http` to this machine.
  public let url: String
  /// In this order.
  public let fields: [Field]
  /// A token for `Authorization: Bearer`.
  public let bearer: String?

  /// Makes a form.
  public init(to url: String, _ fields: [Field], bearer: String? = nil) {
    self.url = url
    self.fields = fields
    self.bearer = bearer
  }
}

/// An answer to a call, whatever its status. Redirects are answers too, and never followed.
public struct CallAnswer: Sendable, Hashable, Codable, Redacted {
  /// The HTTP status.
  public let status: Int
  /// The body: 256 KiB at most.
  public let body: [UInt8]

  /// Makes an answer.
  public init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}

/// Why a call of a provider has no answer.
public struct CallFailure: Error, Sendable, Hashable, Codable {
  /// For the log, as a few constant words.
  public let reason: String

  /// Makes a failure.
  public init(_ reason: String) { self.reason = reason }
}
