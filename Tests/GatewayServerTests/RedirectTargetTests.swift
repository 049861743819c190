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

  private func verdict(
    _ text: String, loopbackPort: UInt16? = 8080, bringsCode: Bool = false
  ) throws -> RedirectTarget.Fault? {
    let app = try app()
    do throws(RedirectTarget.Fault) {
      _ = try RedirectTarget(text, of: app, loopbackPort: loopbackPort, bringsCode: bringsCode)
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
      "http://notes.localhost/", "http://notes.localhost:80/", "https://notes.localhost/",
      "https://notes.localhost:8080/",
      "https://notes.example.com?x=//evil.example", "https://notes.example.com/%2f%2fevil.example",
      "https://notes.example.com/?error=x&code=y&state=z", "HTTPS://notes.example.com/",
      "https://other.example:443/signed-in", "HTTPS://OTHER.example/signed-in", "yourscheme://host:99999/x",
      "yourscheme://?a=1", "yourscheme://auth/..//x;y=1",
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
      ("yourscheme//speed-auth", .malformed), ("https:///notes.example.com/", .foreign), ("https://", .foreign),
      ("https://:443/", .foreign), ("https://.example.com/", .foreign), ("https://notes.example.com..", .foreign),
      ("https:/notes.example.com/", .malformed), ("https//notes.example.com/", .malformed),
      ("//notes.example.com/", .malformed), ("notes.example.com", .malformed), ("?://x", .foreign),
      // Look-alikes of the app's hosts and of its ports.
      ("https://notes.example.com:0/", .foreign), ("https://notes.example.com:65979/", .foreign),
      ("https://notes.example.com:0443/", .foreign), ("https://notes.example.com:/", .foreign),
      ("https://notes.example.com:443:443/", .foreign), ("https://notes%2eexample.com/", .foreign),
      ("https://notes.example.com%00.evil.example/", .foreign),
      ("https://notes.example.com%2f@evil.example/", .malformed),
      ("https://xnotes.example.com/", .foreign), ("https://sub.notes.example.com/", .foreign),
      ("https://example.com/", .foreign), ("https://notes.example.co/", .foreign),
      ("https://evil.example:443/@notes.example.com", .foreign), ("https://evil.example;notes.example.com/", .foreign),
      ("https://evil.example?@notes.example.com/", .foreign), ("https://xn--nots-epa.example.com/", .foreign),
      ("http://notes.localhost:9090/", .foreign), ("http://notes.localhost.evil.example:8080/", .foreign),
      ("http://other.localhost:8080/", .foreign), ("http://localhost:8080/", .foreign), ("http://127.0.0.1/", .foreign),
      ("https://notes.example.com:80/", .foreign), ("http://notes.example.com:443/", .foreign),
      ("ws://notes.example.com/", .foreign), ("smtps://notes.example.com/", .foreign),
      // Other schemes.
      ("ftp://evil.example/cb", .foreign), ("otherscheme://speed-auth", .foreign), ("JaVaScRiPt:alert(1)", .malformed),
      ("javascript://notes.example.com/%0aalert(1)", .foreign), ("javascript:alert(1)//com.acme.app://", .malformed),
      ("data://text/html,x", .foreign), ("file:///etc/passwd", .foreign),
      ("intent://x#Intent;scheme=yourscheme;end", .malformed),
      ("yourscheme.evil://x", .foreign), ("com.acme://x", .foreign), ("com.acme.app.evil://x", .foreign),
      ("about://blank", .foreign), ("blob://https://notes.example.com/", .foreign), ("vbscript://x", .foreign),
      ("yourscheme%3a//x", .malformed), ("your scheme://x", .malformed), ("yourscheme ://x", .malformed),
      ("yourscheme2://x", .foreign), ("xyourscheme://x", .foreign),
      // Blanks, controls, backslashes, fragments.
      ("%09javascript:alert(1)", .malformed), ("java\nscript:alert(1)", .malformed),
      (" https://notes.example.com/", .malformed),
      ("https://notes.example.com/a b", .malformed), ("https://notes.example.com/\u{0}", .malformed),
      ("https://notes.example.com\\@evil.example/", .malformed),
      ("https:\\\\notes.example.com/", .malformed), ("https://notes.example.com/#x", .malformed),
      ("yourscheme://speed-auth#x", .malformed),
      ("yourscheme://a\tb", .malformed), ("yourscheme://a\r\nLocation:x", .malformed),
      ("yourscheme://a\\b", .malformed),
      ("yourscheme://a\u{85}b", .malformed), ("yourscheme://a\u{202E}b", .malformed), ("yourscheme://é", .malformed),
      ("\u{FEFF}https://notes.example.com/", .malformed), ("https://notes.example.com/<x>", .malformed),
      ("https://notes.example.com/\"x", .malformed), ("https://notes.example.com/`x`", .malformed),
      ("https://notes.example.com/{x}|^", .malformed), ("https://notes.example.com\u{2044}@x/", .malformed),
      ("https://notes.example.com\u{FF0F}x/", .malformed),
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

  @Test("a target that a code will be brought to has no code yet")
  func code() throws {
    for query in ["code=x", "a=1&code", "c%6Fde=x"] {
      #expect(try verdict("yourscheme://cb?\(query)", bringsCode: true) == .hasData)
      #expect(try verdict("yourscheme://cb?\(query)") == nil)
    }
    #expect(try verdict("yourscheme://cb?_speed_auth_data=x", bringsCode: true) == .hasData)
    #expect(try verdict("yourscheme://cb?codes=x&code_challenge=y", bringsCode: true) == nil)
  }

  @Test("only where the browser has found the pages on its own machine that port is a domain's too")
  func loopbackPorts() throws {
    for text in ["http://notes.localhost:8080/", "https://notes.localhost:8080/"] {
      #expect(try verdict(text, loopbackPort: 8080) == nil)
      #expect(try verdict(text, loopbackPort: 8081) == .foreign)
      #expect(try verdict(text, loopbackPort: nil) == .foreign)
    }
    #expect(try verdict("https://notes.example.com:8080/", loopbackPort: 8080) == .foreign)
    #expect(try verdict("http://127.0.0.1:3000/cb", loopbackPort: nil) == nil, "listed")
  }

  @Test("what a policy names is the origin of a web target, and the scheme of any other")
  func formAction() throws {
    for (text, source) in [
      ("https://NOTES.example.com:443/a?b", "https://notes.example.com"),
      ("http://notes.localhost:8080/", "http://notes.localhost:8080"), ("YourScheme://x", "yourscheme:"),
      ("http://127.0.0.1:3000/cb", "http:"),
    ] {
      #expect(try RedirectTarget(text, of: try app(), loopbackPort: 8080).formAction == source)
    }
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
