import CMariaDB

/// What an error number of the server or of the client library means (https://mariadb.com/kb/en/mariadb-error-codes/).
enum MariaDBError {
  enum Meaning: Equatable {
    case duplicate
    /// The transaction was or must be rolled back, and may succeed when it is run again.
    case conflict
    /// Nothing more can be done on this connection.
    case lost
    /// The connection is good, but the server can't do this now.
    case refused
    case bug
  }

  static func meaning(of code: UInt32) -> Meaning {
    switch Int32(truncatingIfNeeded: code) {
    case ER_DUP_ENTRY, ER_DUP_ENTRY_WITH_KEY_NAME: .duplicate
    // Galera says ER_LOCK_DEADLOCK at COMMIT when certification fails.
    case ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, ER_CHECKREAD: .conflict
    // Numbers of the client library, then those of a server that ends the connection.
    case 2000..<3000, 5000..<6000, ER_SERVER_SHUTDOWN, ER_NORMAL_SHUTDOWN, ER_CONNECTION_KILLED,
      ER_NEW_ABORTING_CONNECTION, ER_ABORTING_CONNECTION, ER_NET_READ_INTERRUPTED, ER_NET_READ_ERROR,
      ER_NET_WRITE_INTERRUPTED, ER_NET_ERROR_ON_WRITE:
      .lost
    // A Galera node outside its cluster; a replica that is read-only, as the writer has moved elsewhere.
    case ER_UNKNOWN_COM_ERROR, ER_OPTION_PREVENTS_STATEMENT: .lost
    case ER_DISK_FULL, ER_RECORD_FILE_FULL, ER_OUTOFMEMORY, ER_OUT_OF_RESOURCES, ER_LOCK_TABLE_FULL,
      ER_STATEMENT_TIMEOUT, ER_QUERY_INTERRUPTED, ER_ERROR_ON_WRITE, ER_ERROR_DURING_COMMIT:
      .refused
    default: .bug
    }
  }

  /// The key's name at the end of "Duplicate entry '…' for key '…'", without the entry, which is a bound value.
  static func keyName(in message: String) -> String {
    let pieces = message.split(separator: "'", omittingEmptySubsequences: false)
    return pieces.count >= 3 ? String(pieces[pieces.count - 2]) : "unknown"
  }
}
