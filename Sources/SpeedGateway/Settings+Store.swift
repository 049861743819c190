import GatewayBase
import GatewayConfig
import GatewayIdentity
import GatewayServer
import GatewayStore

extension Settings {
  /// The store that the configuration names. Nothing is opened before its first use.
  ///
  /// - Throws: `CommandFailure` where its password is not there.
  func store() throws -> any Store {
    if let source = configuration.store.password, source.resolve(environment: environment) == nil {
      throw CommandFailure("the store's password is missing: \(source.place)")
    }
    do {
      return try configuration.store.address(environment: environment)
        .open(migrations: IdentitySchema.migrations, logger: .quiet)
    } catch let problem as StoreAddress.Problem {
      throw CommandFailure("the store's URL can't be used: \(problem.message)")
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
