import GatewayBase
import GatewayTLS
import Testing

@Suite struct ServedNamesTests {
  @Test("the names that certificates are for together, wildcards for one label")
  func names() throws {
    let certificates = try Certificates.shared()
    let served = ServedNames([try certificates.a.identity(), try certificates.wild.identity()])
    for name in ["a.test", "b.test", "x.wild.test"] { #expect(served.contain(try #require(HostName(name))), "\(name)") }
    for name in ["c.test", "wild.test", "x.y.wild.test"] {
      #expect(!served.contain(try #require(HostName(name))), "\(name)")
    }
    #expect(!ServedNames([]).contain(HostName(literal: "a.test")))
  }
}
