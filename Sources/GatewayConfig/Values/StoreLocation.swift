import GatewayBase

/// Where the store is.
package enum StoreLocation: Sendable, Hashable {
  /// The path of the database file.
  case sqlite(path: String)
  case mariaDB(host: String, port: UInt16, user: String, database: String)

  static func mariaDB(parsing text: String) throws(ValueFault) -> StoreLocation {
    let form = "write mariadb://user@host:3306/database"
    let rest = text.dropFirst("mariadb://".count)
    guard let at = rest.lastIndex(of: "@") else { throw ValueFault("the store's URL names no user", hint: form) }
    let user = rest[..<at]
    if user.contains(":") {
      throw ValueFault(
        "a password in the store's URL", hint: "\(form), and give the password by passwordEnv or passwordFile",
        code: .plainSecret)
    }
    let url = try ServiceURL.parse("mariadb://\(rest[rest.index(after: at)...])", [("mariadb", 3306)])
    let database = String(url.path.dropFirst())
    guard Identifier.isValid(database), Identifier.isValid(String(user)) else {
      throw ValueFault("the store's URL lacks a plain user or database name", hint: form)
    }
    return .mariaDB(host: url.host, port: url.port, user: String(user), database: database)
  }
}

extension ValueType where Value == StoreLocation {
  static var storeURL: ValueType {
    let form = "sqlite:path or mariadb://user@host:3306/database"
    return ValueType(shape: .text(form: form, pattern: "^(sqlite:|mariadb://)")) { node, diagnostics in
      guard let (text, _) = diagnostics.scalar(node, due: form) else { return nil }
      if text.hasPrefix("sqlite:") {
        let path = text.dropFirst("sqlite:".count)
        guard !path.isEmpty, !path.hasPrefix("//"), !path.hasPrefix(":"), !path.contains("?") else {
          diagnostics.invalid(node.place, "the store's URL holds no plain path", hint: "write sqlite:var/gateway.db")
          return nil
        }
        return .sqlite(path: diagnostics.resolved(String(path), at: node.place))
      }
      guard text.hasPrefix("mariadb://") else {
        diagnostics.invalid(node.place, "the store's URL has another scheme", hint: "write \(form)")
        return nil
      }
      do throws(ValueFault) {
        return try StoreLocation.mariaDB(parsing: text)
      } catch {
        diagnostics.error(error.code, at: node.place, error.message, hint: error.hint)
        return nil
      }
    }
  }
}
