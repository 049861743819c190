import GatewayBase

/// Version 1: `PROXY TCP4 192.0.2.1 198.51.100.1 56324 443` and CRLF, in 107 bytes at most (section 2.1).
///
/// Single blanks, canonical addresses and numbers: a sender that writes otherwise is none of the protocol.
enum ProxyTextLine {
  /// Bytes of the longest line with its CRLF.
  static let longest = 107

  private static let start = Array("PROXY ".utf8)
  private static let (unknown, tcp4, tcp6) = (Array("UNKNOWN".utf8), Array("TCP4".utf8), Array("TCP6".utf8))

  static func read(_ bytes: Span<UInt8>) -> ProxyAnnouncement.Verdict {
    for index in 0..<min(bytes.count, start.count) where bytes[index] != start[index] {
      return .malformed
    }
    var end = 0
    while end < bytes.count, bytes[end] != ByteClass.carriageReturn {
      end += 1
      guard end <= longest - 2 else { return .malformed }
    }
    guard end + 1 < bytes.count else { return .incomplete }
    guard bytes[end + 1] == ByteClass.lineFeed, end > start.count else { return .malformed }
    var words = Words(rest: start.count..<end)
    guard let family = words.next(in: bytes) else { return .malformed }
    if isWord(bytes, family, unknown) { return .complete(count: end + 2, source: nil) }
    let isIPv6 = isWord(bytes, family, tcp6)
    guard isIPv6 || isWord(bytes, family, tcp4), let source = address(bytes, words.next(in: bytes), isIPv6: isIPv6),
      address(bytes, words.next(in: bytes), isIPv6: isIPv6) != nil, let port = number(bytes, words.next(in: bytes)),
      number(bytes, words.next(in: bytes)) != nil, words.isAtEnd
    else { return .malformed }
    return .complete(count: end + 2, source: SocketAddress(host: source, port: port))
  }

  private static func isWord(_ bytes: Span<UInt8>, _ range: Range<Int>, _ word: [UInt8]) -> Bool {
    guard range.count == word.count else { return false }
    for offset in 0..<range.count where bytes[range.lowerBound + offset] != word[offset] { return false }
    return true
  }

  private static func address(_ bytes: Span<UInt8>, _ range: Range<Int>?, isIPv6: Bool) -> IPAddress? {
    guard let range, let address = IPAddress(bytes.extracting(range)) else { return nil }
    if case .v6 = address { return isIPv6 ? address : nil }
    return isIPv6 ? nil : address
  }

  /// 0–65535 without leading zeros.
  private static func number(_ bytes: Span<UInt8>, _ range: Range<Int>?) -> UInt16? {
    guard let range, (1...5).contains(range.count) else { return nil }
    guard range.count == 1 || bytes[range.lowerBound] != UInt8(ascii: "0") else { return nil }
    var value: UInt32 = 0
    for index in range {
      guard ByteClass.isDigit(bytes[index]) else { return nil }
      value = value * 10 + UInt32(bytes[index] - 0x30)
    }
    return UInt16(exactly: value)
  }

  /// Words parted by one blank each.
  private struct Words {
    var rest: Range<Int>
    var isAtEnd = false

    mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
      guard !isAtEnd else { return nil }
      var end = rest.lowerBound
      while end < rest.upperBound, bytes[end] != ByteClass.space { end += 1 }
      let word = rest.lowerBound..<end
      isAtEnd = end == rest.upperBound
      rest = min(end + 1, rest.upperBound)..<rest.upperBound
      return word.isEmpty ? nil : word
    }
  }
}
