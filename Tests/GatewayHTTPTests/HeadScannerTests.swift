import GatewayHTTP
import Testing

@Suite("Head scanner") struct HeadScannerTests {
  private func scan(_ text: String) -> HeadScan {
    var scanner = HeadScanner()
    return scanner.scan(Array(text.utf8).span)
  }

  @Test("a head ends with its empty line, whatever follows")
  func complete() {
    #expect(scan("GET / HTTP/1.1\r\nHost: a\r\n\r\nbody\r\n\r\n") == .complete(count: 27))
    #expect(scan("A\r\n\r\n") == .complete(count: 5))
    #expect(scan("\r\nA\r\n\r\n") == .complete(count: 7))
  }

  @Test(
    "what can't become a head is seen at once",
    arguments: [
      "\n", "\r\r", "\rA", "GET\n", "GET / HTTP/1.1\n", "A\r\nB\n", "A\r\nB\rC", "A\u{0}", "\u{0}", "\u{16}\u{3}\u{1}",
      "A\r\nB: \u{1}", "\r\n\r\n", "\r\n\n", "A\r\n\n", "A\r\n\r\r", "\u{1B}[A", "0123456789abcde\n",
      "0123456789abcdef\n",
    ])
  func malformed(text: String) { #expect(scan(text) == .malformed) }

  @Test(
    "what may still become a head is awaited",
    arguments: [
      "", "\r", "\r\n", "\r\nG", "G", "A\r\n", "A\r\n\r", "A\tB\r\nC: \u{e9}\t", "0123456789abcdef\r", "A: \u{7F}",
    ])
  func incomplete(text: String) { #expect(scan(text) == .incomplete) }

  @Test("a head that arrives in two pieces is found, wherever it is cut", arguments: ["", "\r\n"])
  func split(lead: String) {
    let head = Array((lead + request("Accept: text/plain", "A:\tb", "C: \u{e9}")).utf8)
    for cut in 0..<head.count {
      var scanner = HeadScanner()
      #expect(scanner.scan(head, upTo: cut) == .incomplete, "cut at \(cut)")
      #expect(scanner.scan(head, upTo: head.count) == .complete(count: head.count), "cut at \(cut)")
    }
  }

  @Test("a head that arrives byte by byte is found with its last byte")
  func byteByByte() {
    let head = Array(request("Accept: text/plain").utf8)
    var scanner = HeadScanner()
    for end in 0..<head.count { #expect(scanner.scan(head, upTo: end) == .incomplete) }
    #expect(scanner.scan(head, upTo: head.count) == .complete(count: head.count))
  }

  @Test("a fault is seen with the byte that makes it, when bytes arrive one by one")
  func faultByByte() {
    let bytes = Array("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n".utf8)
    var scanner = HeadScanner()
    let fault = (0...bytes.count).first { scanner.scan(bytes.span.extracting(0..<$0)) != .incomplete }
    #expect(fault == 24)
  }

  @Test("bytes that end in an empty line may go to the parser, unless some were looked at before")
  func mayParse() {
    let bytes = Array(request().utf8)
    var scanner = HeadScanner()
    #expect(mayParse(scanner, bytes))
    for end in 0..<bytes.count { #expect(!mayParse(scanner, Array(bytes[..<end]))) }
    #expect(scanner.scan(bytes, upTo: 10) == .incomplete)
    #expect(!mayParse(scanner, bytes))
  }

  private func mayParse(_ scanner: HeadScanner, _ bytes: [UInt8]) -> Bool { scanner.mayParse(bytes.span) }
}
