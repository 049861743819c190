/// Why a store did not do what it was asked. No case holds a bound value.
package enum StoreError: Error, Sendable, Equatable {
  /// The row would repeat the key of another. The statement changed nothing; the transaction goes on.
  ///
  /// - Parameter on: for diagnosis alone, as SQLite names the columns and MariaDB the index.
  case uniqueViolation(on: String)
  /// Nothing can be read or written right now: unreachable, locked for too long, disk full, queue full.
  /// After a `write` it is unknown whether a commit that was under way took place.
  case unavailable(String)
  /// Another transaction got in the way (a deadlock, a lock held too long, a failed certification), again and again.
  case conflict
  /// A later release has migrated the schema beyond what this one knows.
  case schemaTooNew(found: Int, known: Int)
  /// A bug in a statement or in the use of its result.
  case sql(String)
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .uniqueViolation(let key): "a row with this key exists already (\(key))"
    case .unavailable(let reason): "the store is not available: \(reason)"
    case .conflict: "other transactions kept getting in the way"
    case .schemaTooNew(let found, let known):
      "the store's schema has version \(found), and this release knows versions up to \(known): use a later release"
    case .sql(let message): "a statement is wrong: \(message)"
    }
  }
}
