/// How the SQL of the two engines differs. Both compare text and blobs byte by byte.
package enum Dialect: Sendable, Equatable, CaseIterable {
  case sqlite, mariaDB

  /// A column type for text of up to `characters` Unicode scalars. Keys of MariaDB end at 3,072 bytes: 768 of these.
  package func text(_ characters: Int) -> String {
    switch self {
    case .sqlite: "TEXT"
    // NO PAD, as otherwise trailing blanks would not count.
    case .mariaDB: "VARCHAR(\(characters)) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
    }
  }

  /// A column type for up to `count` bytes.
  package func bytes(_ count: Int) -> String {
    switch self {
    case .sqlite: "BLOB"
    case .mariaDB: "VARBINARY(\(count))"
    }
  }

  /// A column type for 64-bit integers.
  package var integer: String {
    switch self {
    case .sqlite: "INTEGER"
    case .mariaDB: "BIGINT"
    }
  }

  /// The type and constraint of a primary key that the store numbers. Numbers are never used twice; in MariaDB they may
  /// have gaps, and a smaller one may become visible after a larger one.
  package var sequence: String {
    switch self {
    case .sqlite: "INTEGER PRIMARY KEY AUTOINCREMENT"
    case .mariaDB: "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY"
    }
  }

  /// A statement that adds a column, also where an earlier run of the same migration has added it.
  package func addColumn(_ column: String, _ type: String, to table: String) -> String {
    switch self {
    // A migration is one transaction here, so nothing of an earlier run stays.
    case .sqlite: "ALTER TABLE \(table) ADD COLUMN \(column) \(type)"
    case .mariaDB: "ALTER TABLE \(table) ADD COLUMN IF NOT EXISTS \(column) \(type)"
    }
  }

  /// Ends a SELECT in a transaction whose rows nobody else may change before it ends. SQLite has one writer anyway.
  package var forUpdate: String {
    switch self {
    case .sqlite: ""
    case .mariaDB: " FOR UPDATE"
    }
  }

  /// The engine's name for people.
  var engineName: String {
    switch self {
    case .sqlite: "SQLite"
    case .mariaDB: "MariaDB"
    }
  }

  /// A query of one row with the engine's release.
  var engineVersion: String {
    switch self {
    case .sqlite: "SELECT sqlite_version()"
    case .mariaDB: "SELECT VERSION()"
    }
  }

  /// A query that has a row where there is a table of the name that is bound to it.
  var hasTable: String {
    switch self {
    case .sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?"
    case .mariaDB:
      "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?"
    }
  }
}
