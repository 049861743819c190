import GatewayBase
import GatewayConfig
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
    return configuration.store.open(environment: environment, logger: .quiet)
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
