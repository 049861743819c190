import GatewayBase
import GatewayHTTP
import Testing

@Suite("Random input") struct MutationTests {
  private static let requests = [
    "GET /a/../b?c=%20 HTTP/1.1\r\nHost: APP:80\r\nConnection: keep-alive, x\r\nX: y\r\nX_Speed_User: 1\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
    "\r\nPUT /%2e/x HTTP/1.0\r\nHost: [::1]:8080\r\nContent-Length: 12\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  ].map { Array($0.utf8) }
  private static let responses = [
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nKeep-Alive: timeout=5, max=2\r\nConnection: a, keep-alive\r\n\r\n",
    "HTTP/1.0 404 Not Found\r\nTransfer-Encoding: chunked\r\nX-Speed-Error: 1\r\n\r\n",
  ].map { Array($0.utf8) }
  private static let telling = Array("\r\n\0\t :,;%/.[]?#\\\u{7F}\u{ff}0aA-_".utf8)

  /// Changes, drops, doubles or adds a few bytes, mostly such as mean something.
  private func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var result = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = Int.random(in: 0..<max(1, result.count), using: &random)
      let byte =
        Bool.random(using: &random)
        ? Self.telling.randomElement(using: &random)! : UInt8.random(in: 0...255, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where !result.isEmpty: result[index] = byte
      case 1 where !result.isEmpty: result.remove(at: index)
      case 2: result.insert(byte, at: index)
      default: result = Array(result[..<index]) + Array(result[max(0, index - 5)...])
      }
    }
    return result
  }

  @Test("no request head crashes the parser, and every head that it takes is one that the scanner finds whole")
  func requests() {
    var random = SeededGenerator(state: 1)
    var table = FieldTable()
    var target = TargetBuffer()
    var host = HostBuffer()
    var accepted = 0
    for round in 0..<30_000 {
      let bytes = mutated(Self.requests[round % Self.requests.count], &random)
      var scanner = HeadScanner()
      let scan = scanner.scan(bytes.span)
      guard let head = try? RequestParser.parse(bytes.span, into: &table) else { continue }
      accepted += 1
      #expect(scan == .complete(count: bytes.count))
      var isInside = true
      for index in 0..<table.count {
        let field = table[index]
        isInside = isInside && field.nameRange.upperBound < bytes.count && field.valueRange.upperBound < bytes.count
        _ = HeaderPolicy.forwardsToBackend(field)
      }
      #expect(isInside)
      _ = HostName.canonicalize(bytes.span.extracting(table[head.hostIndex].valueRange), into: &host)
      let targetBytes = bytes.span.extracting(head.targetRange)
      _ = QueryInspection.holdsAccessToken(targetBytes)
      for opaque in [false, true] {
        _ = try? CanonicalTarget.parse(targetBytes, method: head.method, opaque: opaque, into: &target)
      }
    }
    #expect(accepted > 1000)
  }

  @Test("no response head crashes the parser, and every head that it takes is one that the scanner finds whole")
  func responses() {
    var random = SeededGenerator(state: 2)
    var table = FieldTable()
    var accepted = 0
    for round in 0..<30_000 {
      let bytes = mutated(Self.responses[round % Self.responses.count], &random)
      var scanner = HeadScanner()
      let scan = scanner.scan(bytes.span)
      guard ResponseParser.parse(bytes.span, requestMethod: .get, into: &table) != nil else { continue }
      accepted += 1
      #expect(scan == .complete(count: bytes.count))
    }
    #expect(accepted > 1000)
  }

  @Test("a scanner says the same of bytes that arrive at once and in pieces")
  func scannerPieces() {
    var random = SeededGenerator(state: 3)
    for round in 0..<5000 {
      let bytes = mutated(Self.requests[round % Self.requests.count], &random)
      var whole = HeadScanner()
      let expected = whole.scan(bytes.span)
      var scanner = HeadScanner()
      var result = HeadScan.incomplete
      var end = 0
      while end < bytes.count, result == .incomplete {
        end = min(bytes.count, end + Int.random(in: 1...9, using: &random))
        result = scanner.scan(bytes.span.extracting(0..<end))
      }
      #expect(result == expected)
    }
  }

  @Test("a chunked decoder says the same of bytes that arrive at once and in pieces")
  func decoderPieces() {
    var random = SeededGenerator(state: 4)
    let body = Array("3;x=\"y\"\r\nabc\r\n11\r\n0123456789abcdefg\r\n0\r\nA: b\r\nC:\r\n\r\nGET".utf8)
    for _ in 0..<20_000 {
      let bytes = mutated(body, &random)
      var pieces: [[UInt8]] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        pieces.append(Array(rest.prefix(Int.random(in: 1...9, using: &random))))
        rest = rest.dropFirst(pieces[pieces.count - 1].count)
      }
      #expect(Decoded(pieces) == Decoded([bytes]))
    }
  }

  @Test("a canonical target is its own canonical form, and holds no dot segment and no empty one")
  func targets() {
    var random = SeededGenerator(state: 5)
    let parts = ["/", ".", "..", "a", "%2e", "%61", "%20", "%c3", "%25", "2e", "25", "%", "//", ";", "b", "%32", "%35"]
    for _ in 0..<30_000 {
      let target =
        "/" + (0..<Int.random(in: 0...9, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
      guard let path = try? canonical(target) else { continue }
      #expect((try? canonical(path)) == path, "\(target)")
      let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      #expect(!segments.contains("..") && !segments.contains(".") && !segments.dropLast().contains(""), "\(target)")
      #expect(!path.contains("%252e"), "\(target)")
    }
  }
}
