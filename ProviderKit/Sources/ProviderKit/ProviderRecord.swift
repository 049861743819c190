/// Something that the gateway keeps for a provider, sealed, on all nodes.
public struct ProviderRecord: Sendable, Hashable, Codable, Redacted {
  /// Its name among the provider's own records: 1 to 200 bytes of ASCII without blanks. It is not sealed, so it holds no
  /// address and no secret: where one is needed, its digest.
  public let key: String
  /// The content: 32 KiB at most.
  public let value: [UInt8]
  /// Raised by every change.
  public let version: Int64

  /// Makes a record.
  public init(key: String, value: [UInt8], version: Int64) {
    self.key = key
    self.value = value
    self.version = version
  }
}

/// One change of a set that is made as a whole or not at all.
public struct RecordChange: Sendable, Hashable, Codable, Redacted {
  /// What the record must be like, else nothing of the set is changed.
  public enum Condition: Sendable, Hashable, Codable {
    /// Whatever it is.
    case any
    /// There is none.
    case absent
    /// It has this version.
    case version(Int64)
  }

  /// Which record.
  public let key: String
  /// The new content; nil removes it.
  public let value: [UInt8]?
  /// What it must be like now.
  public let condition: Condition
  /// When the record is there no more: Unix time in milliseconds; nil for never.
  public let expiresAt: Int64?

  /// Writes a record.
  public static func put(
    _ key: String, _ value: [UInt8], if condition: Condition, expiresAt: Int64? = nil
  ) -> RecordChange {
    RecordChange(key: key, value: value, condition: condition, expiresAt: expiresAt)
  }

  /// Removes a record.
  public static func remove(_ key: String, if condition: Condition = .any) -> RecordChange {
    RecordChange(key: key, value: nil, condition: condition, expiresAt: nil)
  }

  private init(key: String, value: [UInt8]?, condition: Condition, expiresAt: Int64?) {
    self.key = key
    self.value = value
    self.condition = condition
    self.expiresAt = expiresAt
  }
}
