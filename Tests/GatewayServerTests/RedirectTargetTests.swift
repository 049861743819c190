import GatewayBase
import GatewayConfig
import GatewayTesting
import Testing

@testable import GatewayServer

@Suite("Where a browser goes when a sign-in has ended") struct RedirectTargetTests {
  private func app() throws -> TenantConfiguration {
    var file = GatewayTesting.TenantFile(1, "notes.example.com, notes.localhost", bundleIDs: [], ports: [9])
    file.iosLines = ["urlSchemes: [com.acme.app, yourscheme]"]
    file.lines = ["redirects: [https://other.example/signed-in, http://127.0.0.1:3000/cb]"]
    let tenant = GatewayConfig.TenantFile.read("app.yaml", bytes: Array(file.yaml.utf8), environment: [:])
    return try #require(tenant.configuration, "\(tenant.problems.map(\.message))")
  }

  private func verdict(_ text: String) throws -> RedirectTarget.Fault? {
    let app = try app()
    do throws(RedirectTarget.Fault) {
      _ = try RedirectTarget(text, of: app)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "B63 B65 an app's schemes, domains and exact redirects are targets",
    arguments: [
      "yourscheme://speed-auth", "YourScheme://speed-auth", "yourscheme://", "com.acme.app://cb?x=1&y",
      "com.acme.app:///path",
      "https://notes.example.com", "https://notes.example.com/", "https://notes.example.com:443/any/path?x=%20",
      "https://NOTES.example.com./a",
      "https://other.example/signed-in", "http://127.0.0.1:3000/cb", "http://notes.localhost:8080/cb",
      "http://notes.localhost/",
    ])
  func good(text: String) throws { #expect(try verdict(text) == nil) }

  @Test(
    "B58 B59 B61 B62 GW-95 what is another's, or can be read in two ways, is none",
    arguments: [
      // Userinfo, and look-alikes of hosts.
      ("https://notes.example.com@evil.example/", .malformed), ("http://127.0.0.1:80@evil.example/cb", .malformed),
      ("https://user:pass@notes.example.com/", .malformed), ("yourscheme://a@b", .malformed),
      ("https://notes.example.com.evil.example/", .foreign),
      ("http://localhost.evil.example", .foreign), ("https://evil.example/notes.example.com", .foreign),
      ("https://evil.example#notes.example.com", .malformed), ("https://evil.example?.notes.example.com", .foreign),
      ("https://notes.example.com:8443/", .foreign), ("http://notes.example.com/", .foreign),
      ("https://notés.example.com/", .malformed),
      // No absolute URL.
      ("malicious.example?.example.com", .malformed), ("//evil.example", .malformed), ("/\\evil.com", .malformed),
      ("https:evil.com", .malformed),
      ("yourscheme:speed-auth", .malformed), ("yourscheme:/speed-auth", .malformed), ("", .malformed),
      ("://", .foreign),
      // Other schemes.
      ("ftp://evil.example/cb", .foreign), ("otherscheme://speed-auth", .foreign), ("JaVaScRiPt:alert(1)", .malformed),
      ("javascript://notes.example.com/%0aalert(1)", .foreign), ("javascript:alert(1)//com.acme.app://", .malformed),
      ("data://text/html,x", .foreign), ("file:///etc/passwd", .foreign),
      ("intent://x#Intent;scheme=yourscheme;end", .malformed),
      ("yourscheme2://x", .foreign), ("xyourscheme://x", .foreign),
      // Blanks, controls, backslashes, fragments.
      ("%09javascript:alert(1)", .malformed), ("java\nscript:alert(1)", .malformed),
      (" https://notes.example.com/", .malformed),
      ("https://notes.example.com/a b", .malformed), ("https://notes.example.com/\u{0}", .malformed),
      ("https://notes.example.com\\@evil.example/", .malformed),
      ("https:\\\\notes.example.com/", .malformed), ("https://notes.example.com/#x", .malformed),
      ("yourscheme://speed-auth#x", .malformed),
      ("https://notes.example.com/\u{7F}", .malformed), ("https://[::1]/", .foreign), ("https://0x7f000001/", .foreign),
      // An entry of redirects is exact.
      ("https://other.example/signed-in/", .foreign), ("https://other.example/signed-in?x=1", .foreign),
      ("https://other.example/", .foreign),
      ("http://127.0.0.1:3001/cb", .foreign),
    ] as [(String, RedirectTarget.Fault)])
  func bad(text: String, fault: RedirectTarget.Fault) throws { #expect(try verdict(text) == fault) }

  @Test("GW-98 a target that has the gateway's own parameter already is none, in any spelling")
  func data() throws {
    for query in [
      "_speed_auth_data=x", "a=1&_speed_auth_data", "_speed%5Fauth_data=x", "%5fspeed_auth_data=", "x=%zz&%zz=1",
    ] {
      for base in ["https://notes.example.com/", "yourscheme://cb"] {
        #expect(try verdict("\(base)?\(query)") == .hasData, "\(query)")
      }
    }
    #expect(try verdict("https://notes.example.com/_speed_auth_data?x=_speed_auth_data") == nil)
  }

  @Test("two thousand bytes are a target, one more is none")
  func length() throws {
    let base = "https://notes.example.com/"
    #expect(try verdict(base + String(repeating: "a", count: 2000 - base.utf8.count)) == nil)
    #expect(try verdict(base + String(repeating: "a", count: 2001 - base.utf8.count)) == .malformed)
  }

  @Test("GW-97 the scheme is lower case, the rest byte for byte, and other parameters stay")
  func appends() throws {
    let target = try RedirectTarget("Com.Acme.App://Call-Back?X=1", of: try app())
    #expect(
      target.bringing(Array("{\"a\":\"é&\"}".utf8))
        == "com.acme.app://Call-Back?X=1&_speed_auth_data=%7B%22a%22%3A%22%C3%A9%26%22%7D")
    #expect(
      try RedirectTarget("yourscheme://cb", of: try app()).failing("access_denied")
        == "yourscheme://cb?error=access_denied")
  }
}
