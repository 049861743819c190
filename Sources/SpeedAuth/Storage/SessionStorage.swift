import Foundation

/// What outlives a run of the app.
public struct SessionRecord: Sendable, Hashable, Codable, Redacted {
  /// The session, while there is one.
  public internal(set) var session: Session?
  /// How the user signed in last; it outlives the session.
  public internal(set) var method: SignInMethod?
  /// The ids of users who declined to link for good.
  public internal(set) var declined: [String] = []
  /// A name that Apple told and no sign-in has brought to the platform yet.
  var pendingName: PendingName?

  struct PendingName: Sendable, Hashable, Codable {
    let user: String
    let name: String
  }

  /// Makes the record of an app that nobody has signed in to.
  public init() {}
}

/// Where the client keeps its record. Calls come one at a time, and should be quick.
public protocol SessionStorage: Sendable {
  /// The record; nil where there is none yet.
  ///
  /// - Throws: where it can't be read now. The client asks again at its next call.
  func load() throws -> SessionRecord?

  /// Replaces the record, wholly or not at all.
  func save(_ record: SessionRecord) throws
}

/// Keeps the record as long as the process runs.
///
/// `@unchecked Sendable` holds: `record` is read and written under `lock` alone.
public final class MemoryStorage: SessionStorage, @unchecked Sendable {
  private let lock = NSLock()
  private var record: SessionRecord?

  /// Makes an empty one.
  public init() {}

  /// The record; nil where there is none yet.
  public func load() -> SessionRecord? { lock.withLock { record } }

  /// Replaces the record.
  public func save(_ record: SessionRecord) { lock.withLock { self.record = record } }
}

/// The record as JSON, with dates in seconds and what a later version adds left out.
enum RecordText {
  static func encode(_ record: SessionRecord) throws -> Data {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    return try encoder.encode(record)
  }

  static func decode(_ data: Data) throws -> SessionRecord {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return try decoder.decode(SessionRecord.self, from: data)
  }
}
