import GatewayBase
import GatewayConfig
import GatewayIdentity
import GatewayStore

extension Settings {
  /// The store that the configuration names. Nothing is opened before its first use.
  ///
  /// - Throws: `CommandFailure` where its password is not there.
  func store() throws -> any Store {
    try storeAddress().open(migrations: IdentitySchema.migrations, logger: .quiet)
  }

  private func storeAddress() throws -> StoreAddress {
    switch configuration.store.location {
    case .sqlite(let path): return .sqlite(path: path)
    case .mariaDB(let host, let port, let user, let database):
      var password: Secret?
      if let source = configuration.store.password {
        password = source.resolve(environment: environment)
        guard password != nil else { throw CommandFailure("the store's password is missing: \(source.place)") }
      }
      let name = host.contains(":") ? "[\(host)]" : host
      do {
        return try StoreAddress(url: "mariadb://\(user)@\(name):\(port)/\(database)", password: password)
      } catch {
        throw CommandFailure("the store's URL can't be used: \(error.message)")
      }
    }
  }
}

extension SecretSource {
  /// Where the secret should be.
  fileprivate var place: String {
    switch self {
    case .environment(let name): "the environment variable \(name) is not set"
    case .file(let path): "the file \(path) is absent, empty or unreadable"
    }
  }
}

extension Logger {
  /// A command tells by itself what failed.
  static let quiet = Logger(level: .error, format: .text)
}
