import GatewayHTTP
import Testing

/// What is read of a head that is refused.
@Suite struct HeadGlimpseTests {
  private func glimpse(_ text: String) -> [String?] {
    let bytes = Array(text.utf8)
    let glimpse = HeadGlimpse(bytes.span)
    return [glimpse.host, glimpse.origin].map { $0.map { String(decoding: bytes[$0], as: UTF8.self) } }
  }

  @Test("Host and Origin are found, whatever else is wrong with the head")
  func found() {
    for head in [
      "GET / HTTP/1.1\r\nHost: a\r\nOrigin: b\r\n\r\n", "GET /\r\nhOST:a\r\nORIGIN: b \r\nHo st: c",
      "\r\nGET / HTTP/1.1\r\nbad line\r\nOrigin: b\r\nHost: a\r\n", "G\u{7F}\0 \u{FF}\r\nhost: a\r\norigin: b\r\nx: \0",
      "host: a\r\norigin: b\r\nx: \0",
      "GET / HTTP/1.1\r\nHost: a\r\nOrigin: b\r\nX: 1\nOrigin: c\r\n",
    ] {
      #expect(glimpse(head) == ["a", "b"], "\(head)")
    }
  }

  @Test("The target is found as far as it has come")
  func target() {
    for (head, target) in [
      ("GET /a?b HTTP/1.1\r\nHost: a\r\n", "/a?b"), ("\r\nPOST /a%zz", "/a%zz"), ("GET /a\r\nx: y z", "/a"),
      ("GET  /a HTTP/1.1\r\n", nil), ("GET\r\nx: y z\r\n", nil), ("", nil), ("GET ", nil), ("G /\0", "/\0"),
    ] as [(String, String?)] {
      let bytes = Array(head.utf8)
      #expect(HeadGlimpse(bytes.span).target.map { String(decoding: bytes[$0], as: UTF8.self) } == target, "\(head)")
    }
  }

  @Test("What comes twice, is not whole, or stands behind the head or an unreadable line is not found")
  func notFound() {
    #expect(glimpse("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nHost: c\r\nOrigin: d\r\n") == [nil, "d"])
    #expect(glimpse("GET / HTTP/1.1\r\nHost: a\r\nOrigin: d\r\nOrigin: d\r\n") == ["a", nil])
    #expect(glimpse("GET / HTTP/1.1\r\nHost: a\r\nOrigin: https://go") == ["a", nil])
    #expect(glimpse("GET / HTTP/1.1\r\nHost: a\r\nOrigin: b\r") == ["a", nil])
    #expect(glimpse("GET / HTTP/1.1\r\nHost: a\r\n\r\nOrigin: b\r\n") == ["a", nil])
    #expect(glimpse("GET / HTTP/1.1\nHost: a\r\nOrigin: b\nHost: c\r\n") == [nil, nil])
    #expect(glimpse("GET / HTTP/1.1\r\nX-Host: a\r\nHost : a\r\n Origin: b\r\n") == [nil, nil])
    #expect(glimpse("") == [nil, nil])
  }
}
