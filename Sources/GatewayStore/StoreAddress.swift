import GatewayBase

/// Where the data is: what `store.url` of the configuration says.
package enum StoreAddress: Sendable, Equatable {
  case sqlite(path: String)
  case mariaDB(MariaDBAddress)

  /// Why a URL is refused, as one clause without the URL.
  package struct Problem: Error, Sendable, Equatable {
    package let message: String

    init(_ message: String) { self.message = message }
  }

  /// Reads `sqlite:<path>` or `mariadb://user@host:3306/database[?tls=required[&ca=FILE]][?socket=PATH]`.
  ///
  /// - Parameters:
  ///   - password: for MariaDB, from `passwordEnv` or `passwordFile`.
  ///   - folder: what a relative path of SQLite starts from; nil is the working folder.
  package init(url: String, password: Secret? = nil, relativeTo folder: String? = nil) throws(Problem) {
    if url.hasPrefix("sqlite:") {
      let path = url.dropFirst("sqlite:".count)
      guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
        throw Problem("name a file: sqlite:var/gateway.db")
      }
      self = .sqlite(path: path.hasPrefix("/") ? String(path) : folder.map { "\($0)/\(path)" } ?? String(path))
    } else if url.hasPrefix("mariadb://") {
      self = .mariaDB(try MariaDBAddress(parsing: url.dropFirst("mariadb://".count), password: password))
    } else {
      throw Problem("a store is sqlite:<path> or mariadb://user@host:3306/database")
    }
  }

  /// The store at this address. No I/O takes place before its first use.
  package func open(migrations: [Migration], logger: Logger) -> any Store {
    switch self {
    case .sqlite(let path): SQLiteStore(path: path, migrations: migrations, logger: logger)
    case .mariaDB(let address): MariaDBStore(address: address, migrations: migrations, logger: logger)
    }
  }
}
