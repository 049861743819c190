import GatewayBase
import GatewayHTTP
import Testing

@Suite("Request framing") struct RequestFramingTests {
  @Test("a request without framing fields has no body")
  func absent() throws { #expect(try parseRequest(request(method: "POST")).head.framing == BodyFraming.none) }

  @Test(
    "one length of 1 to 19 digits is taken",
    arguments: [("0", 0), ("5", 5), ("0005", 5), ("12", 12)] as [(String, UInt64)])
  func length(text: String, value: UInt64) throws {
    #expect(try parseRequest(request("Content-Length: \(text)")).head.framing == .length(value))
  }

  @Test("the largest length of 19 digits is taken as it is")
  func largestLength() throws {
    let head = try parseRequest(request("content-LENGTH:9999999999999999999")).head
    #expect(head.framing == .length(9_999_999_999_999_999_999))
  }

  @Test(
    "a length that is no number of 1 to 19 digits is 400",
    arguments: [
      "", "+1", "-1", "0x1", "1, 1", "1,1", "1 1", "1.0", "1e3", "a", "10000000000000000000", "１",
      String(repeating: "1", count: 30), "\"1\"", "1;", "1_0",
    ])
  func malformedLength(value: String) { refused(400, "Content-Length: \(value)") }

  @Test("GW-9 two lengths are 400, equal or not, on two lines or on one")
  func repeatedLength() {
    refused(400, "Content-Length: 1", "Content-Length: 1")
    refused(400, "Content-Length: 1", "content-length: 2")
    refused(400, "Content-Length: 5, 5")
  }

  @Test("GW-7 a length beside chunked is 400, in both orders")
  func lengthAndChunked() {
    refused(400, "Content-Length: 0", "Transfer-Encoding: chunked")
    refused(400, "Transfer-Encoding: chunked", "Content-Length: 4")
    refused(400, "Transfer-Encoding:", "Content-Length: 4")
    refused(400, "Transfer-Encoding: gzip", "Content-Length: 4")
  }

  @Test("chunked alone is taken, in any case", arguments: ["chunked", "Chunked", " \tchunked\t "])
  func chunked(value: String) throws {
    #expect(try parseRequest(request("Transfer-Encoding:\(value)")).head.framing == .chunked)
  }

  @Test(
    "GW-2 another coding is 501, alone or in a list",
    arguments: ["gzip, chunked", "xchunked", "identity", "chunked, gzip"])
  func otherCodings(value: String) {
    let refused = refusal(request("Transfer-Encoding: \(value)"))
    #expect(refused?.status == 501)
    #expect(refused?.code == "unsupported_coding")
    #expect(refused?.closesConnection == true)
  }

  @Test(
    "GW-2 a coding that is none is 400",
    arguments: [
      "", ",", "chunked, chunked", "chunked,", "chunked;q=1", "\"chunked\"", "chun ked", "chunked\u{7F}",
      "\u{b}chunked",
    ])
  func malformedCodings(value: String) { refused(400, "Transfer-Encoding: \(value)") }

  @Test("GW-2 two lines of codings are 400")
  func repeatedCoding() {
    refused(400, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked")
    refused(400, "Transfer-Encoding: chunked", "Transfer-Encoding: identity")
  }

  @Test("GW-2 chunked on HTTP/1.0 is 400")
  func chunked10() {
    #expect(refusal(request("Transfer-Encoding: chunked", version: "1.0"))?.status == 400)
  }

  @Test("GW-17 a framing name in disguise frames nothing and reaches no backend")
  func disguisedFraming() throws {
    let seen = try parseRequest(request("Content_Length: 5", "Transfer.Encoding: chunked", "Content-Length: 3"))
    #expect(seen.head.framing == .length(3))
    #expect(seen.forwarded == [])
  }

  @Test(
    "GW-9 no framing field is forwarded as received", arguments: ["Content-Length: 3", "Transfer-Encoding: chunked"])
  func framingIsOurs(line: String) throws { #expect(try parseRequest(request(line)).forwarded == []) }

  @Test("100-continue is awaited only of HTTP/1.1 with a body")
  func expectation() throws {
    #expect(try parseRequest(request("Expect: 100-Continue", "Content-Length: 1")).head.expectsContinue)
    #expect(try parseRequest(request("Expect: 100-continue", "Transfer-Encoding: chunked")).head.expectsContinue)
    #expect(try !parseRequest(request("Expect: 100-continue")).head.expectsContinue)
    #expect(try !parseRequest(request("Content-Length: 1")).head.expectsContinue)
    #expect(
      try !parseRequest(request("Expect: 100-continue", "Content-Length: 1", version: "1.0")).head.expectsContinue)
    refused(400, "Expect: something", "Content-Length: 1")
    refused(400, "Expect: 100-continue", "Expect: 100-continue", "Content-Length: 1")
  }

  private func refused(_ status: UInt16, _ lines: String..., at location: SourceLocation = #_sourceLocation) {
    let head = "POST / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    let refused = refusal(head)
    #expect(refused?.status == status, sourceLocation: location)
    #expect(refused?.closesConnection == true, sourceLocation: location)
  }
}
