import GatewayBase
import Testing

@Suite struct StoreAddressTests {
  private func mariaDB(_ url: String) throws -> MariaDBAddress? {
    guard case .mariaDB(let address) = try StoreAddress(url) else { return nil }
    return address
  }

  @Test("paths are taken from the folder of their configuration")
  func paths() throws {
    func resolved(_ url: String) throws -> StoreAddress { try StoreAddress(url, resolve: { "/etc/" + $0 }) }
    #expect(try StoreAddress("sqlite:var/a.db") == .sqlite(path: "var/a.db"))
    #expect(try resolved("sqlite:var/a.db") == .sqlite(path: "/etc/var/a.db"))
    guard case .mariaDB(let address) = try resolved("mariadb://u@h/d?socket=m.sock&tls=required&ca=a.pem") else {
      Issue.record("not MariaDB")
      return
    }
    #expect(address.endpoint == .socket(path: "/etc/m.sock") && address.tls == .required(authorities: "/etc/a.pem"))
  }

  @Test("a MariaDB URL names user, host, port, database and options")
  func parts() throws {
    let plain = try #require(try mariaDB("mariadb://speed@db.example/speed"))
    #expect(plain.endpoint == .tcp(host: "db.example", port: 3306))
    #expect(plain.user == "speed" && plain.database == "speed" && plain.tls == .off)
    #expect(try mariaDB("mariadb://u@[::1]:3307/d")?.endpoint == .tcp(host: "::1", port: 3307))
    #expect(try mariaDB("mariadb://u@[::1]/d")?.endpoint == .tcp(host: "::1", port: 3306))
    #expect(try mariaDB("mariadb://u@localhost/d?socket=/run/m.sock")?.endpoint == .socket(path: "/run/m.sock"))
    #expect(try mariaDB("mariadb://u@h/d?tls=required")?.tls == .required(authorities: nil))
    #expect(try mariaDB("mariadb://u@h/d?tls=required&ca=/a.pem")?.tls == .required(authorities: "/a.pem"))
  }

  @Test(
    "what is no address of a store is refused",
    arguments: [
      ("", .scheme), ("postgres://u@h/d", .scheme), ("mariadb:u@h/d", .scheme), ("sqlite:", .file),
      ("sqlite:var/", .file), ("sqlite::memory:", .file), ("sqlite://var/x", .file), ("sqlite:a?mode=memory", .file),
      ("sqlite:a\0b", .file), ("mariadb://h/d", .user), ("mariadb://@h/d", .user),
      ("mariadb://a b@h/d", .url(.character)),
      ("mariadb://u:pw@h/d", .password), ("mariadb://u@h", .database), ("mariadb://u@h/", .database),
      ("mariadb://u@h/a/b", .database), ("mariadb://u@h/d;e", .database), ("mariadb://u@h/d%41", .database),
      ("mariadb://u@h:0/d", .url(.port)), ("mariadb://u@h:70000/d", .url(.port)), ("mariadb://u@h:x/d", .url(.port)),
      ("mariadb://u@/d", .url(.host)), ("mariadb://u@::1/d", .url(.host)), ("mariadb://u@127.1/d", .url(.numericHost)),
      ("mariadb://u@h/d#e", .url(.fragment)), ("mariadb://u@h/d?tls=maybe", .option),
      ("mariadb://u@h/d?ca=/a.pem", .option),
      ("mariadb://u@h/d?x=1", .option), ("mariadb://u@h/d?tls", .option),
      ("mariadb://u@h/d?tls=required&tls=required", .option),
    ] as [(String, StoreAddress.Problem)])
  func refused(_ url: String, problem: StoreAddress.Problem) {
    #expect(throws: problem) { try StoreAddress(url) }
  }
}
