import GatewayBase
import Testing

@Suite("URLs")
struct ServiceURLTests {
  @Test("a URL is taken apart into scheme, host, port and path")
  func parts() throws {
    let url = try ServiceURL("HTTPS://AppleID.apple.com/auth/keys?a=b")
    #expect(url.scheme == .https)
    #expect(url.host.description == "appleid.apple.com")
    #expect(url.port == 443)
    #expect(url.path == "/auth/keys?a=b")
    #expect(url.description == "https://appleid.apple.com/auth/keys?a=b")
    #expect(url.origin == "https://appleid.apple.com")
  }

  @Test("what a URL leaves out has its default")
  func defaults() throws {
    #expect(try ServiceURL("http://a/").description == "http://a")
    #expect(try ServiceURL("http://a:80").origin == "http://a")
    #expect(try ServiceURL("http://a:8080?q").description == "http://a:8080?q")
    #expect(try ServiceURL("http://[::1]:9001/x").description == "http://[::1]:9001/x")
    #expect(try ServiceURL("http://[::1]").host.description == "::1")
  }

  @Test(
    "a URL that readers could understand differently is refused",
    arguments: [
      ("", ServiceURL.Problem.relative), ("a.example", .relative), ("//a", .relative), ("ftp://a", .scheme),
      ("file:///etc", .scheme),
      ("http:/a", .relative), ("http://user@a", .userinfo), ("http://user:pass@a/", .userinfo),
      ("http://@a", .userinfo),
      ("http://127.0.0.1:80@evil.example/", .userinfo), ("http://a/#b", .fragment), ("http://a#b", .fragment),
      ("http://", .host), ("http:///x", .host), ("http://?x", .host), ("http://a..b", .host), ("http://.a", .host),
      ("http://-a", .host), ("http://a%41", .host), ("http://127.1", .numericHost), ("http://0x7f.1", .numericHost),
      ("http://2130706433", .numericHost), ("http://127.0.0.01", .numericHost), ("http://256.0.0.1", .numericHost),
      ("http://[::1", .host),
      ("http://[::1]x", .host), ("http://[a]", .host), ("http://[127.0.0.1]", .host), ("http://[1::2::3]", .host),
      ("http://[::1%25eth0]", .host), ("http://[:::]", .host), ("http://[1:2:3:4:5:6:7:8:9]", .host),
      ("http://::1", .host),
      ("http://a:", .port), ("http://a:0", .port), ("http://a:65536", .port), ("http://a:+1", .port),
      ("http://a:1x", .port),
      ("http://a b", .character), (" http://a", .character), ("http://a\n", .character), ("http://a\\b", .character),
      ("http://ä.example", .host), ("http://a/ä", .path), ("smtp://a", .scheme), ("http://a/\u{7F}", .character),
      ("http://a/\0", .character),
      ("http://a/\"x", .character),
    ])
  func refused(text: String, problem: ServiceURL.Problem) {
    #expect(throws: problem) { try ServiceURL(text) }
  }

  @Test("plain http is confidential on this machine alone, however another host disguises itself")
  func confidential() throws {
    for text in [
      "http://127.0.0.1", "http://127.9.9.9:1", "http://[::1]", "http://LOCALHOST:9", "https://a.example",
      "http://a.localhost",
    ] {
      #expect(try ServiceURL(text).isConfidential, "\(text)")
    }
    for text in [
      "http://localhost.evil.example", "http://127.0.0.1.evil.example", "http://128.0.0.1", "http://[::2]",
      "http://0.0.0.0",
      "http://[::ffff:10.0.0.1]", "http://notlocalhost",
    ] {
      #expect(try !ServiceURL(text).isConfidential, "\(text)")
    }
  }
}
