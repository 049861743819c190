import GatewayBase
import GatewayHTTP
import Testing

@Suite("Request line") struct RequestLineTests {
  @Test("its parts are found where they are")
  func parts() throws {
    let text = "PATCH /a/b?c=d HTTP/1.1\r\nHost: a\r\n\r\n"
    let head = try parseRequest(text).head
    #expect(head.method == .patch)
    #expect(head.methodRange == 0..<5)
    #expect(head.targetRange == 6..<14)
    #expect(head.minorVersion == 1)
  }

  @Test("every known method is told by its text", arguments: HTTPMethod.allCases.filter { $0 != .other })
  func methods(method: HTTPMethod) throws {
    #expect(try parseRequest(request(method: "\(method.name)")).head.method == method)
    #expect(HTTPMethod.parse("\(method.name)") == method)
  }

  @Test("another token is another method, with its case", arguments: ["get", "PROPFIND", "GETT", "M-SEARCH", "X"])
  func otherMethods(name: String) throws {
    #expect(try parseRequest(request(method: name)).head.method == .other)
    #expect(HTTPMethod.parse(name) == .other)
  }

  @Test("what is no token is no method", arguments: ["", "G T", "GET/", "G\u{0}T", "GÉT", "(GET)"])
  func noMethod(name: String) {
    #expect(HTTPMethod.parse(name) == nil)
    #expect(refusal(request(method: name))?.status == 400)
  }

  @Test("methods know whether they may be repeated")
  func idempotence() {
    #expect(HTTPMethod.allCases.filter(\.isIdempotent) == [.get, .head, .put, .delete, .options, .trace])
  }

  @Test(
    "anything but METHOD SP TARGET SP HTTP/1.x CRLF is refused",
    arguments: [
      "GET  / HTTP/1.1", "GET /  HTTP/1.1", " GET / HTTP/1.1", "GET / HTTP/1.1 ", "GET\t/ HTTP/1.1", "GET /\tHTTP/1.1",
      "GET /", "GET", "GET / ", "GET / HTTP/2.0", "GET / HTTP/1.2", "GET / HTTP/0.9", "GET / http/1.1",
      "GET / HTTP/1.10", "GET / HTTP/1", "GET / HTTP/01.1", "GET / FTP/1.1", "GET / HTTP/1.1\u{0}",
      "GET /a b HTTP/1.1", "GET /\u{0} HTTP/1.1", "", ":", "GET: / HTTP/1.1",
    ])
  func malformed(line: String) {
    let refused = refusal("\(line)\r\nHost: a\r\n\r\n")
    #expect(refused?.status == 400)
    #expect(refused?.code == "bad_request")
    #expect(refused?.closesConnection == true)
  }

  @Test("HTTP/1.0 is a request of its own version")
  func version10() throws { #expect(try parseRequest(request(version: "1.0")).head.minorVersion == 0) }

  @Test("one empty line before the request line is skipped, a second one is not")
  func emptyLines() throws {
    let head = try parseRequest("\r\n" + request()).head
    #expect(head.methodRange == 2..<5)
    #expect(refusal("\r\n\r\n" + request())?.status == 400)
    #expect(refusal("\n" + request())?.status == 400)
  }

  @Test("GW-6 a target over 8 KiB is 414, one of 8 KiB is not")
  func longTarget() {
    let fits = "/" + String(repeating: "a", count: Limits.target - 1)
    #expect(refusal("GET \(fits) HTTP/1.1\r\nHost: a\r\n\r\n") == nil)
    #expect(refusal("GET \(fits)a HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 414)
  }

  @Test("a method over its limit is refused")
  func longMethod() {
    #expect(refusal(request(method: String(repeating: "A", count: Limits.method))) == nil)
    #expect(refusal(request(method: String(repeating: "A", count: Limits.method + 1)))?.status == 400)
  }
}
