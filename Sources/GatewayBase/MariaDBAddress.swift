/// Where a MariaDB server is, and whose database is meant.
package struct MariaDBAddress: Sendable, Hashable {
  /// How the server is reached.
  package enum Endpoint: Sendable, Hashable {
    case tcp(host: String, port: UInt16)
    case socket(path: String)
  }

  /// Whether the connection is encrypted, and by whom the server is vouched for.
  package enum TLS: Sendable, Hashable {
    case off
    /// The server's certificate must be for its host and lead to one of this PEM file, or of the system's where nil.
    case required(authorities: String?)
  }

  /// The server's host and port, or its socket file.
  package let endpoint: Endpoint
  /// The server's account for this gateway.
  package let user: String
  /// The database, which must exist.
  package let database: String
  /// Off unless the URL says `tls=required`.
  package let tls: TLS

  init(
    _ text: String, name: (String) -> HostName?, resolve: (String) -> String
  ) throws(StoreAddress.Problem) {
    let parts = try Self.parts(text)
    guard let userinfo = parts.userinfo else { throw .user }
    guard !userinfo.utf8.contains(UInt8(ascii: ":")) else { throw .password }
    guard Self.isName(userinfo) else { throw .user }
    let path = parts.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard path[0].hasPrefix("/"), Self.isName(path[0].dropFirst()) else { throw .database }
    user = String(userinfo)
    database = String(path[0].dropFirst())
    let options = try Self.options(path.count == 2 ? path[1] : "")
    let address = try Self.endpoint(parts, name)
    endpoint = options["socket"].map { .socket(path: resolve($0)) } ?? address
    switch options["tls"] {
    case nil where options["ca"] == nil: tls = .off
    case "required": tls = .required(authorities: options["ca"].map(resolve))
    default: throw .option
    }
  }

  private static func parts(_ text: String) throws(StoreAddress.Problem) -> URLParts {
    do { return try URLParts(text) } catch { throw .url(error) }
  }

  private static func endpoint(
    _ parts: URLParts, _ name: (String) -> HostName?
  ) throws(StoreAddress.Problem) -> Endpoint {
    let given = parts.port.map { PortNumber.parse($0) }
    guard let port = given ?? 3306 else { throw .url(.port) }
    do {
      return .tcp(host: try URLHost(parts.host, name: name).description, port: port)
    } catch {
      throw .url(error)
    }
  }

  /// A name that needs no quotes in the statements of an administrator, as nothing here is percent-decoded.
  private static func isName(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, first.isAlphanumeric || first == UInt8(ascii: "_") else { return false }
    return text.utf8.count <= 64
      && text.utf8.allSatisfy { $0.isAlphanumeric || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
  }

  private static func options(_ text: Substring) throws(StoreAddress.Problem) -> [String: String] {
    var options: [String: String] = [:]
    for option in text.split(separator: "&") {
      let pair = option.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, ["socket", "tls", "ca"].contains(pair[0]), options[String(pair[0])] == nil else {
        throw .option
      }
      options[String(pair[0])] = String(pair[1])
    }
    return options
  }
}
