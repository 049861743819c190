import GatewayBase
import Testing

@testable import GatewayConfig

@Suite struct ValueTests {
  @Test(
    "Durations have a unit and no other form",
    arguments: [
      ("250ms", 250), ("30s", 30_000), ("5m", 300_000), ("2h", 7_200_000), ("7d", 604_800_000), ("0s", 0),
    ] as [(String, Int64)])
  func duration(text: String, milliseconds: Int64) throws {
    #expect(try Milliseconds.parse(text).count == milliseconds)
  }

  @Test(
    "What is no duration says how to write it",
    arguments: [
      "30", "s", "1.5s", "-1s", "+1s", "030s", "1 s", "1S", "1min", "99999999999999999999d", "9223372036854775807d",
      "٣s",
    ])
  func noDuration(text: String) {
    #expect(throws: ValueFault.self) { try Milliseconds.parse(text) }
  }

  @Test("A duration prints as it would be written")
  func durationText() {
    #expect(
      ["250ms", "90s", "5m", "7d", "0s", "36h"].allSatisfy { "\((try? Milliseconds.parse($0)) ?? .days(1))" == $0 })
  }

  @Test(
    "Sizes have a binary unit",
    arguments: [("512B", 512), ("64KiB", 65_536), ("10MiB", 10_485_760), ("2GiB", 2_147_483_648)])
  func size(text: String, bytes: Int) throws {
    #expect(try ByteSize.parse(text).bytes == bytes)
    #expect("\(try ByteSize.parse(text))" == text)
  }

  @Test(
    "What is no size says how to write it",
    arguments: [
      ("64", "add the unit: 64B, 64KiB or 64MiB"), ("64KB", "write 64KiB"), ("10M", "write 10MiB"),
      ("10mib", "write 10MiB"),
      ("1gb", "write 1GiB"), ("064KiB", "write it as 512B, 64KiB or 10MiB"),
      ("-1B", "write it as 512B, 64KiB or 10MiB"),
    ])
  func noSize(text: String, hint: String) {
    let fault = #expect(throws: ValueFault.self) { try ByteSize.parse(text) }
    #expect(fault?.hint == hint)
  }

  @Test("A size beyond all memory is none")
  func hugeSize() { #expect(throws: ValueFault.self) { try ByteSize.parse("99999999999GiB") } }

  @Test(
    "GW-101 a domain has one form: case, final dot, Unicode and punycode do not count",
    arguments: [
      ("APP.example", "app.example"), ("app.example.", "app.example"), ("bücher.example", "xn--bcher-kva.example"),
      ("BÜCHER.example", "xn--bcher-kva.example"), ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
      ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("faß.de", "xn--fa-hia.de"), ("app。example", "app.example"),
      ("ＡＰＰ.example", "app.example"), ("notes.localhost", "notes.localhost"),
    ])
  func domain(text: String, canonical: String) throws {
    #expect(try HostName.domain(text).description == canonical)
    #expect(HostName(international: text + ":443")?.description == canonical)
  }

  @Test(
    "What is no domain is refused",
    arguments: [
      "", ".", "a..b", "-a.example", "a-.example", "a_b.example", "a b", "*.example.com", "https://a.example",
      "a.example:443",
      "a@b.example", "a/b", "127.0.0.1", "1.2.3", "0x7f.1", "[::1]", "::1", "xn--a.example", "xn--.example",
      "a\u{0}b.example",
      String(repeating: "a", count: 64) + ".example", Array(repeating: "abcdefg", count: 40).joined(separator: "."),
      "\u{200D}.example", "a\u{2028}b.example",
    ])
  func noDomain(text: String) {
    #expect(throws: ValueFault.self) { try HostName.domain(text) }
  }

  @Test(
    "A host of the gateway may be an address",
    arguments: [("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"), ("::1", "[::1]"), ("API.speed.so", "api.speed.so")])
  func gatewayHost(text: String, canonical: String) throws {
    #expect(try HostName.gatewayHost(text).description == canonical)
  }

  @Test(
    "A backend is an http or https URL without anything else",
    arguments: [
      ("http://127.0.0.1:9001", "http://127.0.0.1:9001"), ("http://Notes.example", "http://notes.example:80"),
      ("https://a.example/", "https://a.example:443"), ("http://[::1]:9001", "http://[::1]:9001"),
      ("http://[2001:DB8:0:0::1]", "http://[2001:db8::1]:80"),
      ("http://bücher.example", "http://xn--bcher-kva.example:80"),
      ("HTTP://a.example", "http://a.example:80"),
    ])
  func backend(text: String, canonical: String) throws {
    #expect("\(try BackendServer.parse(text))" == canonical)
  }

  @Test(
    "A backend on a link-local address, of another scheme, with userinfo, path or a port that is none is refused",
    arguments: [
      "http://169.254.169.254", "http://169.254.169.254/latest/", "http://[fe80::1]", "http://[febf::1]:80",
      "http://[::ffff:169.254.169.254]", "http://[::ffff:a9fe:a9fe]", "http://[64:ff9b::a9fe:a9fe]",
      "http://2852039166",
      "http://0xa9fea9fe", "http://0251.0376.0251.0376", "http://169.16689662", "file:///etc/passwd",
      "file:/etc/passwd",
      "ftp://a.example", "http://user@a.example", "http://user:pw@a.example", "http://a.example/path",
      "http://a.example?q",
      "http://a.example#f", "http://a.example:0", "http://a.example:65536", "http://a.example:", "http://a.example:080",
      "http://a.example:80:80", "http://", "http:///", "a.example:80", "//a.example", "http://a b", "http://a\\b",
      "http://[::1",
      "http://[::1]x", "http://[a.example]", "http://a..b", "http:/a.example", "http://a.example\u{0}",
    ])
  func noBackend(text: String) {
    #expect(throws: ValueFault.self) { try BackendServer.parse(text) }
  }

  @Test("A URL with userinfo is refused without being quoted")
  func userinfo() {
    let found = problems(tenant("backends: { api: { servers: [\"http://user:hunter2@a.example\"] } }"))
    #expect(found.brief == ["4:30 error invalid_value"])
    #expect(!ProblemReport(found).rendered(.text).contains("hunter2"))
  }

  @Test(
    "Plain http is for loopback only",
    arguments: [
      ("http://127.0.0.1:9400", true), ("http://localhost:9400", true), ("http://a.localhost", true),
      ("http://[::1]", true),
      ("https://a.example", true), ("http://a.example", false), ("http://localhost.example", false),
      ("http://10.0.0.1", false),
    ])
  func plainHTTP(url: String, isGood: Bool) {
    #expect(gateway("apple: { issuer: \"\(url)\" }").isUsable == isGood)
    #expect(read(tenant("relay: { verifier: { url: \"\(url)\", secretEnv: A } }")).problems.errors.isEmpty == isGood)
  }

  @Test(
    "GW-95 a redirect is an absolute https URL on the default port, or http on loopback",
    arguments: [
      ("https://a.example/x?y=1", true), ("http://localhost:3000/cb", true), ("http://a.example/x", false),
      ("https://a.example:8443/x", false), ("/\\\\evil.com", false), ("//evil.com", false), ("https:evil.com", false),
      ("https://a@evil.com", false), ("https://a.example/#x", false), ("javascript:alert(1)", false),
      ("https://a.example/ x", false),
    ])
  func redirect(url: String, isGood: Bool) {
    #expect(read(tenant("redirects: [\"\(url)\"]")).problems.errors.isEmpty == isGood)
  }

  @Test(
    "An origin is what browsers send",
    arguments: [
      ("https://Notes.example.com", "https://notes.example.com"), ("https://a.example:443", "https://a.example"),
      ("http://localhost:3000", "http://localhost:3000"), ("https://a.example/", nil), ("https://a.example/x", nil),
      ("null", nil), ("a.example", nil), ("https://*.example", nil),
    ] as [(String, String?)])
  func origin(text: String, canonical: String?) {
    let cors = read(tenant("cors: { origins: [\"\(text)\"] }")).configuration?.cors
    #expect(cors?.origins == canonical.map { .listed([$0]) })
  }

  @Test(
    "A route's path is in the form that requests are brought to",
    arguments: [
      "/", "/v1/", "/v1/generate", "/a-b_c.d~e", "/a:b@c", "/%C3%A4", "/a%20b", "/.well-known/other",
    ])
  func routePath(path: String) { #expect(problems(tenant("routes: [{ path: \"\(path)\", backend: api }]")).isEmpty) }

  @Test(
    "A route's path in another form is refused",
    arguments: [
      "v1", "//", "/a//b", "/./a", "/a/..", "/a/.", "/a?b", "/a#b", "/a b", "/ä", "/%2f", "/%5C", "/%00", "/%7E",
      "/%zz", "/%4",
      "/%c3%a4", "/a*", "/a\\\\b", "/a{b}", "/a|b", "/a\\\"b", "/a^b", "/a`b", "/<a>",
    ])
  func noRoutePath(path: String) {
    #expect(problems(tenant("routes: [{ path: \"\(path)\", backend: api }]")).brief == ["5:18 error invalid_value"])
  }

  @Test(
    "GW-85 paths of the gateway's own can't be a route",
    arguments: ["/.well-known/speed", "/.well-known/speed/", "/.well-known/speed-keys"])
  func reservedPath(path: String) {
    #expect(problems(tenant("routes: [{ path: \(path), backend: api }]")).brief == ["5:18 error reserved_path"])
  }

  @Test(
    "Methods are capitals, and some never pass", arguments: ["get", "CONNECT", "TRACE", "GE T", "\"\"", "G3T", "-"])
  func noMethod(method: String) {
    #expect(!problems(tenant("routes: [{ path: /, backend: api, methods: [\(method)] }]")).isEmpty)
  }

  @Test(
    "GW-103 a range matches by its prefix, also written as IPv4-mapped",
    arguments: [
      ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("::ffff:10.0.0.0/104", "10.1.2.3", true),
      ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("fd00::/8", "fdff::1", true), ("fd00::/8", "10.0.0.1", false),
      ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("0.0.0.0/0", "1.2.3.4", true),
      ("::/0", "1.2.3.4", false),
      ("10.0.0.128/25", "10.0.0.127", false),
    ])
  func range(text: String, address: String, matches: Bool) throws {
    #expect(try AddressRange.parse(text).contains(#require(IPAddress(address))) == matches)
  }

  @Test(
    "What is no range is refused",
    arguments: ["10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "a/8", "::/129", "/8", "10.0.0.0/8/8"])
  func noRange(text: String) { #expect(throws: ValueFault.self) { try AddressRange.parse(text) } }

  @Test(
    "A listen address is an IP address and a port; 0 lets the system pick",
    arguments: [
      ("0.0.0.0:8080", "0.0.0.0:8080"), ("[::]:443", "[::]:443"), ("localhost:0", "127.0.0.1:0"),
      ("127.0.0.1:65535", "127.0.0.1:65535"),
    ])
  func listen(text: String, canonical: String) throws {
    #expect(try SocketAddress.listening(text).description == canonical)
  }

  @Test(
    "What is no listen address is refused",
    arguments: [
      "8080", ":8080", "0.0.0.0", "0.0.0.0:", "0.0.0.0:65536", "0.0.0.0:080", "::1:80", "a.example:80", "[::1]",
      "[::1]80", "*:80", "0.0.0.0:-1", "[127.0.0.1]:80",
    ])
  func noListen(text: String) { #expect(throws: ValueFault.self) { try SocketAddress.listening(text) } }
}
