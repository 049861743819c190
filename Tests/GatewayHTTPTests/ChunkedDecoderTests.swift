import GatewayBase
import GatewayHTTP
import Testing

@Suite("Chunked bodies") struct ChunkedDecoderTests {
  @Test(
    "payload is found between the framing, and the body ends where it says",
    arguments: [
      ("0\r\n\r\n", ""), ("1\r\na\r\n0\r\n\r\n", "a"), ("3\r\nabc\r\nA\r\n0123456789\r\n00\r\n\r\n", "abc0123456789"),
      ("1;a=b\r\nx\r\n0;c\r\n\r\n", "x"), ("1;a=\"q;\\\"\"\r\nx\r\n0\r\n\r\n", "x"),
      ("a\r\n0\r\n\r\nabcde\r\n0\r\n\r\n", "0\r\n\r\nabcde"),
      ("0000000000000001\r\nx\r\n0\r\n\r\n", "x"),
      ("0\r\nX-Speed-User-Id: 1\r\nHost: b\r\n\r\n", ""), ("0\r\nA:\r\n\r\n", ""),
    ])
  func bodies(text: String, payload: String) {
    let decoded = Decoded(text)
    #expect(decoded.text == payload)
    #expect(decoded.rest == [])
  }

  @Test("GW-1 junk behind the last chunk is no part of the body and no request")
  func junk() {
    let decoded = Decoded("1\r\na\r\n0\r\n\r\nJUNK / HTTP/1.1 x\r\n\r\n")
    #expect(decoded.text == "a")
    let rest = String(decoding: decoded.rest ?? [], as: UTF8.self)
    #expect(rest == "JUNK / HTTP/1.1 x\r\n\r\n")
    #expect(refusal(rest)?.status == 400)
  }

  @Test(
    "GW-1 framing in doubt is malformed",
    arguments: [
      "1 \r\na", " 1\r\na", "0x1\r\na", "1\na", "1\r\na\n0", "1\r\na0\r\n", "1\r\nab\r\n", "1\r\na\r\r", "-1\r\n",
      "+1\r\n", "g\r\n", "\r\n",
      ";a\r\n", "1\r\r", "1\rx", "1;a\n", "1;\u{0}\r\n", "1;a\u{7F}\r\n", "00000000000000001\r\n", "1_0\r\n", "1\t\r\n",
      "1,1\r\n",
      "0\r\n\n", "0\r\n\r\r", "0\r\nA\r\n", "0\r\nA : b\r\n", "0\r\n b: c\r\n", "0\r\nA: b\nC: d", "0\r\nA: \u{0}",
      "0\r\nA: b\r\r",
      "0\r\n: b", "0\r\nx",
    ].filter { $0 != "0\r\nx" })
  func malformed(text: String) {
    #expect(Decoded(text).isMalformed)
    #expect(Decoded(Array(text.utf8).map { [$0] }).isMalformed)
  }

  @Test("a size of 16 digits is taken without overflow, and its bytes are payload")
  func hugeSize() {
    let decoded = Decoded("FFFFFFFFFFFFFFFF\r\nabc")
    #expect(decoded.text == "abc")
    #expect(!decoded.isMalformed)
    #expect(decoded.rest == nil)
  }

  @Test("a size line over its limit is malformed")
  func longSizeLine() {
    let fits = "1;" + String(repeating: "a", count: Limits.chunkLine - 4)
    #expect(Decoded(fits + "\r\nx\r\n0\r\n\r\n").rest == [])
    #expect(Decoded(fits + "a\r\nx\r\n0\r\n\r\n").isMalformed)
  }

  @Test("trailers over their limit are malformed")
  func longTrailers() {
    let line = String(repeating: "a", count: 1020) + ":b\r\n"
    #expect(Decoded("0\r\n" + String(repeating: line, count: 15) + "\r\n").rest == [])
    #expect(Decoded("0\r\n" + String(repeating: line, count: 17) + "\r\n").isMalformed)
  }

  @Test("a body that arrives in two pieces means the same, wherever it is cut")
  func split() {
    let bytes = Array("3;x=\"y\"\r\nabc\r\n11\r\n0123456789abcdefg\r\n0\r\nA: b\r\nC:\r\n\r\nGET".utf8)
    let whole = Decoded([bytes])
    #expect(whole.text == "abc0123456789abcdefg")
    for cut in 0...bytes.count {
      #expect(Decoded([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "cut at \(cut)")
    }
    #expect(Decoded(bytes.map { [$0] }) == whole)
  }

  @Test("after its end and after a fault a decoder takes nothing more")
  func afterTheEnd() {
    var ended = ChunkedDecoder()
    #expect(ended.next("0\r\n\r\n") == .end(consumed: 5))
    #expect(ended.next("1\r\n") == .end(consumed: 0))
    var failed = ChunkedDecoder()
    #expect(failed.next("x") == .malformed)
    #expect(failed.next("1\r\na") == .malformed)
  }
}
