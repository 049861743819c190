import FoundationEssentials
import ProviderKit

/// A value as it is kept, with the version by which a change of it is made.
struct Stored<Value: Sendable>: Sendable {
  let key: String
  var value: Value
  let version: Int64
}

/// The plugin's records, as values in JSON.
struct Records: Sendable {
  let services: any ProviderServices

  func read<Value: Codable & Sendable>(_ key: String, as type: Value.Type) async throws(ProviderFailure)
    -> Stored<Value>?
  {
    do throws(CallFailure) {
      guard let record = try await services.records([key]).first ?? nil else { return nil }
      guard let value = try? JSONDecoder().decode(type, from: Data(record.value)) else {
        throw CallFailure("a record can't be read")
      }
      return Stored(key: key, value: value, version: record.version)
    } catch {
      throw .unavailable(error)
    }
  }

  /// Makes all changes, or none.
  ///
  /// - Returns: whether they were made: false where a condition does not hold.
  func commit(_ changes: [RecordChange]) async throws(ProviderFailure) -> Bool {
    do throws(CallFailure) {
      return try await services.commit(changes)
    } catch {
      throw .unavailable(error)
    }
  }
}

extension RecordChange {
  /// Writes a value as JSON.
  static func put<Value: Codable>(
    _ key: String, _ value: Value, if condition: Condition, expiresAt: Int64? = nil
  ) -> RecordChange {
    // Of the plugin's own types, none of which can fail.
    let bytes = (try? JSONEncoder().encode(value)).map { [UInt8]($0) } ?? []
    return .put(key, bytes, if: condition, expiresAt: expiresAt)
  }
}
