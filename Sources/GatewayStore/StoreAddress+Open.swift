import GatewayBase

extension StoreAddress {
  /// The store at this address. No I/O takes place before its first use.
  ///
  /// - Parameter password: of MariaDB's account; nil where it has none.
  package func open(password: Secret? = nil, migrations: [Migration], logger: Logger) -> any Store {
    switch self {
    case .sqlite(let path): SQLiteStore(path: path, migrations: migrations, logger: logger)
    case .mariaDB(let address):
      MariaDBStore(address: address, password: password, migrations: migrations, logger: logger)
    }
  }
}
