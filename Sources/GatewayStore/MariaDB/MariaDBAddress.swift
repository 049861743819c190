import GatewayBase

/// Where a MariaDB server is and how to sign in to it.
package struct MariaDBAddress: Sendable, Equatable {
  package enum Endpoint: Sendable, Equatable {
    case tcp(host: String, port: UInt16)
    case socket(path: String)
  }

  package enum TLS: Sendable, Equatable {
    case off
    /// The server's certificate must be for its host and lead to one of this PEM file, or of the system's where nil.
    case required(authorities: String?)
  }

  package let endpoint: Endpoint
  package let user: String
  package let password: Secret?
  package let database: String
  package let tls: TLS

  /// Reads `user@host:port/database` with `?socket=PATH`, `?tls=required` and `&ca=FILE`. Nothing is percent-decoded.
  init(parsing text: Substring, password: Secret?) throws(StoreAddress.Problem) {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let location = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard location.count == 2, Self.isName(location[1]) else {
      throw .init("name the database: mariadb://user@host:3306/database")
    }
    let authority = location[0].split(separator: "@", omittingEmptySubsequences: false)
    guard authority.count == 2, !authority[0].isEmpty else {
      throw .init("name the user: mariadb://user@host:3306/database")
    }
    guard !authority[0].contains(":") else {
      throw .init("a password does not belong in the URL: give it by passwordEnv or passwordFile")
    }
    let options = try Self.options(parts.count == 2 ? parts[1] : "")
    user = String(authority[0])
    self.password = password
    database = String(location[1])
    if let path = options["socket"] {
      endpoint = .socket(path: path)
    } else {
      endpoint = try Self.endpoint(authority[1])
    }
    switch options["tls"] {
    case nil where options["ca"] == nil: tls = .off
    case "required": tls = .required(authorities: options["ca"])
    default: throw .init("tls can only be \"required\", and ca goes with it")
    }
  }

  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.count <= 64
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
          || $0 == 0x2D
      }
  }

  private static func options(_ text: Substring) throws(StoreAddress.Problem) -> [String: String] {
    var options: [String: String] = [:]
    for option in text.split(separator: "&") {
      let pair = option.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, ["socket", "tls", "ca"].contains(pair[0]) else {
        throw .init("the options of a MariaDB URL are socket, tls and ca")
      }
      options[String(pair[0])] = String(pair[1])
    }
    return options
  }

  private static func endpoint(_ text: Substring) throws(StoreAddress.Problem) -> Endpoint {
    var host = text
    var port: UInt16 = 3306
    // The colons of a bracketed IPv6 address are not that of the port.
    if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
      guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else {
        throw .init("a port is a number from 1 to 65535")
      }
      (host, port) = (text[..<colon], number)
    }
    if host.hasPrefix("[") && host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty else { throw .init("name the host: mariadb://user@host:3306/database") }
    return .tcp(host: String(host), port: port)
  }
}
