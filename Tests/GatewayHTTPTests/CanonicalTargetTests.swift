import GatewayBase
import GatewayHTTP
import Testing

@Suite("Canonical target") struct CanonicalTargetTests {
  @Test(
    "GW-31 GW-35 one path has one form, which is matched and sent",
    arguments: [
      ("/", "/"), ("/admin", "/admin"), ("//admin", "/admin"), ("/./admin", "/admin"), ("/x/../admin", "/admin"),
      ("/x/%2e%2e/admin", "/admin"), ("/public/../admin", "/admin"), ("/a/./b/../admin", "/a/admin"),
      ("/x/.%2E/admin", "/admin"),
      ("/%2e/admin", "/admin"), ("/../../admin", "/admin"), ("/..", "/"), ("/.", "/"), ("/a/..", "/"), ("/a/.", "/a/"),
      ("/a/b/..", "/a/"), ("/a//b///c", "/a/b/c"), ("/a//", "/a/"), ("///", "/"), ("/a//../b", "/b"),
      ("/a/b/../../c", "/c"),
      ("/%61dmin", "/admin"), ("/%41%7e%2D%5f", "/A~-_"), ("/a%20b", "/a%20b"), ("/caf%c3%a9", "/caf%C3%A9"),
      ("/%3f%23", "/%3F%23"),
      ("/a...b/...", "/a...b/..."), ("/.a/..b/c.", "/.a/..b/c."), ("/a;b=c/d", "/a;b=c/d"),
      ("/a:b@c!$&'()*+,=", "/a:b@c!$&'()*+,="),
      ("/[a]", "/[a]"), ("/.;a", nil), ("/..;/admin", nil), ("/x/..;a=b/admin", nil), ("/a/%2e%2e;x/b", nil),
    ] as [(String, String?)])
  func paths(target: String, expected: String?) throws {
    guard let expected else {
      #expect(targetRefusal(target) == 400)
      return
    }
    #expect(try canonical(target) == expected)
  }

  @Test(
    "what is canonical stays as it is",
    arguments: ["/a%20b/%25x", "/x/../%c3/a//b?q=//../", "/%7E/%2e./b%25%34", "/a/."])
  func idempotent(target: String) throws {
    let once = try canonical(target)
    #expect(try canonical(once) == once)
  }

  @Test(
    "GW-33 GW-39 an encoded separator or NUL is 400",
    arguments: ["/x%2fadmin", "/x%2Fadmin", "/a%5cb", "/%5C", "/%00", "/public%2f..%2fadmin"])
  func encodedSeparators(target: String) { #expect(targetRefusal(target) == 400) }

  @Test(
    "GW-34 a dot or separator that is encoded twice or more is 400, as is a back-slash",
    arguments: [
      "/%252e%252e/admin", "/%252E", "/a%252fb", "/a%255cb", "/%25252e", "/%25%32%65", "/%25%32%35%32%66",
      "/%25%325%32f", "/a\\b", "/\\evil",
      "/%252e/../b",
    ])
  func doubleEncoding(target: String) { #expect(targetRefusal(target) == 400) }

  @Test(
    "an encoded percent sign before other digits is data", arguments: ["/%2541", "/100%25", "/%25", "/%252", "/%25zz"])
  func encodedPercent(target: String) throws { #expect(try canonical(target) == target) }

  @Test(
    "a malformed triplet is 400, in path and query",
    arguments: ["/%zz", "/%", "/%2", "/a%g0", "/?%zz", "/?a=%", "/?a=%4", "/%%32e", "/% 20"])
  func malformedTriplets(target: String) { #expect(targetRefusal(target) == 400) }

  @Test(
    "GW-3 GW-5 GW-38 a byte that no target may hold is 400, in path and query, opaque or not",
    arguments: [
      "#", "\\", "\"", "<", ">", "{", "}", "|", "^", "`", " ", "\t", "\r\n", "\u{0}", "\u{7F}", "\u{e9}",
      " HTTP/1.1\r\nX-A: b",
    ])
  func foreignBytes(byte: String) {
    for opaque in [false, true] {
      #expect(targetRefusal("/a\(byte)/b", opaque: opaque) == 400)
      #expect(targetRefusal("/%20a\(byte)", opaque: opaque) == 400)
      #expect(targetRefusal("/a?b\(byte)", opaque: opaque) == 400)
    }
  }

  @Test("GW-37 the query is no part of the path and goes on untouched")
  func queries() throws {
    #expect(try canonical("/admin?/health") == "/admin?/health")
    #expect(
      try canonical("/x/../admin?next=https%3A%2F%2Fa/../b//c&%00&a[]=1?")
        == "/admin?next=https%3A%2F%2Fa/../b//c&%00&a[]=1?")
    #expect(try canonical("/?") == "/?")
    #expect(try canonical("/%61?%61") == "/a?%61")
  }

  @Test(
    "another form than the origin form is 400",
    arguments: ["http://evil/x", "evil:80", "", "?a", "a", "*", "/a#/b", "*/", "%2f"])
  func otherForms(target: String) { #expect(targetRefusal(target) == 400) }

  @Test("the asterisk is for OPTIONS alone")
  func asterisk() throws {
    #expect(try canonical("*", method: .options) == "*")
    #expect(targetRefusal("*", method: .head) == 400)
    #expect(targetRefusal("**", method: .options) == 400)
  }

  @Test("CONNECT and TRACE are 405 before their target is judged, and tell what is allowed")
  func methods() {
    #expect(targetRefusal("a:443", method: .connect) == 405)
    #expect(targetRefusal("/", method: .trace) == 405)
    var buffer = TargetBuffer()
    #expect {
      _ = try CanonicalTarget.parse(Array("a:443".utf8).span, method: .connect, into: &buffer)
    } throws: { error in
      (error as? Refusal)?.allow?.contains("GET") == true
    }
  }

  @Test("a target over 8 KiB is 414, and one of 8 KiB fits in each form")
  func size() throws {
    let long = "/" + String(repeating: "a", count: Limits.target - 1)
    #expect(try canonical(long).utf8.count == Limits.target)
    #expect(targetRefusal(long + "a") == 414)
    let encoded = "/" + String(repeating: "%20", count: 2730)
    #expect(try canonical(encoded) == encoded)
  }

  @Test(
    "GW-33 an opaque path passes as it is, so that its tenant's rules may not depend on it",
    arguments: ["/a%2fb//c/../d%5C%00%2e/%252e", "//", "/a/./b"])
  func opaque(target: String) throws {
    #expect(try canonical(target, opaque: true) == target)
    #expect(try canonical(target + "?q", opaque: true) == target + "?q")
  }

  @Test("a malformed triplet is 400 in an opaque path too", arguments: ["/%zz", "/a%2", "/%"])
  func opaqueTriplets(target: String) { #expect(targetRefusal(target, opaque: true) == 400) }

  @Test("a buffer that is used again holds nothing of the path before")
  func reuse() throws {
    var buffer = TargetBuffer()
    _ = try CanonicalTarget.parse(Array("/a/long/path".utf8).span, method: .get, into: &buffer)
    let second = try CanonicalTarget.parse(Array("/b".utf8).span, method: .get, into: &buffer)
    let count = buffer.count
    #expect(second.pathCount == 2)
    #expect(count == 2)
  }
}

@Suite("Query inspection") struct QueryInspectionTests {
  @Test(
    "GW-109 a token in the query is found, however its name is encoded",
    arguments: [
      "access_token=x", "a=b&access_token=x", "access_token", "access%5Ftoken=x", "%61ccess_token=", "&&access_token=x",
      "a&%61%63%63ess_token",
    ])
  func found(query: String) { #expect(holdsAccessToken(query)) }

  @Test(
    "other parameters are none",
    arguments: [
      "", "a=access_token", "xaccess_token=1", "access_token2=1", "a;access_token=x", "Access_Token=x",
      "access%255Ftoken=x", "access_tok&en=1", "%", "=",
    ])
  func notFound(query: String) { #expect(!holdsAccessToken(query)) }

  private func holdsAccessToken(_ query: String) -> Bool {
    QueryInspection.holdsAccessToken(Array(query.utf8).span)
  }
}
