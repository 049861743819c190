import GatewayBase
import GatewayStore
import Testing

@Suite struct StoreAddressTests {
  private func mariaDB(_ url: String) throws -> MariaDBAddress {
    guard case .mariaDB(let address) = try StoreAddress(url: url, password: Secret("pw".utf8)) else {
      throw StoreError.sql("not MariaDB")
    }
    return address
  }

  @Test("a path of SQLite is taken from the folder of its configuration")
  func sqlite() throws {
    #expect(try StoreAddress(url: "sqlite:var/a.db") == .sqlite(path: "var/a.db"))
    #expect(try StoreAddress(url: "sqlite:var/a.db", relativeTo: "/etc/speed") == .sqlite(path: "/etc/speed/var/a.db"))
    #expect(try StoreAddress(url: "sqlite:/var/a.db", relativeTo: "/etc/speed") == .sqlite(path: "/var/a.db"))
  }

  @Test("a MariaDB URL names user, host, port, database and options")
  func parts() throws {
    let plain = try mariaDB("mariadb://speed@db.example/speed")
    #expect(plain.endpoint == .tcp(host: "db.example", port: 3306))
    #expect(plain.user == "speed" && plain.database == "speed" && plain.tls == .off)
    #expect(plain.password == Secret("pw".utf8))
    #expect(try mariaDB("mariadb://u@[::1]:3307/d").endpoint == .tcp(host: "::1", port: 3307))
    #expect(try mariaDB("mariadb://u@[::1]/d").endpoint == .tcp(host: "::1", port: 3306))
    #expect(try mariaDB("mariadb://u@localhost/d?socket=/run/m.sock").endpoint == .socket(path: "/run/m.sock"))
    #expect(try mariaDB("mariadb://u@h/d?tls=required").tls == .required(authorities: nil))
    #expect(try mariaDB("mariadb://u@h/d?tls=required&ca=/a.pem").tls == .required(authorities: "/a.pem"))
  }

  @Test(
    "what is no address of a store is refused",
    arguments: [
      "", "sqlite:", "sqlite:var/", "sqlite::memory:", "postgres://u@h/d", "mariadb:u@h/d", "mariadb://h/d",
      "mariadb://u@h",
      "mariadb://u@h/",
      "mariadb://u:pw@h/d", "mariadb://u@h:0/d", "mariadb://u@h:70000/d", "mariadb://u@h:x/d", "mariadb://u@/d",
      "mariadb://@h/d", "mariadb://u@h/d;e", "mariadb://u@h/d?tls=maybe", "mariadb://u@h/d?ca=/a.pem",
      "mariadb://u@h/d?x=1",
    ])
  func refused(_ url: String) {
    #expect(throws: StoreAddress.Problem.self) { try StoreAddress(url: url) }
  }
}
