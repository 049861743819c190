/// Where the data is: what `store.url` of the configuration says.
package enum StoreAddress: Sendable, Hashable {
  /// The path of the database's file.
  case sqlite(path: String)
  case mariaDB(MariaDBAddress)

  /// Why a text is refused. It holds nothing of the text, which may hold a password.
  package enum Problem: Error, Sendable, Equatable {
    /// Neither `sqlite:` nor `mariadb://`.
    case scheme
    /// No plain path of a file follows `sqlite:`.
    case file
    case url(ServiceURL.Problem)
    /// No plain name, or none.
    case user
    /// A password, which does not belong into a URL.
    case password
    /// No plain name, or none.
    case database
    /// Another one than `socket`, `tls` and `ca`, or a value that it can't have.
    case option
  }

  /// Reads `sqlite:<path>` or `mariadb://user@host:3306/database[?tls=required[&ca=FILE]][?socket=PATH]`.
  ///
  /// - Parameters:
  ///   - name: reads a host that is no address.
  ///   - resolve: makes of a path one that the process can open.
  package init(
    _ text: String, name: (String) -> HostName? = { HostName($0) }, resolve: (String) -> String = { $0 }
  ) throws(Problem) {
    if text.hasPrefix("sqlite:") {
      let path = text.dropFirst("sqlite:".count)
      // Of a URI (`sqlite://…`, `?mode=`) or a database in memory (`:memory:`) SQLite would make something else.
      guard !path.isEmpty, !path.hasPrefix("//"), !path.hasPrefix(":"), !path.hasSuffix("/"), !path.contains("?"),
        !path.utf8.contains(0)
      else { throw .file }
      self = .sqlite(path: resolve(String(path)))
    } else if text.hasPrefix("mariadb://") {
      self = .mariaDB(try MariaDBAddress(text, name: name, resolve: resolve))
    } else {
      throw .scheme
    }
  }
}
