/// What is spoken inside TLS (ALPN, RFC 7301).
public enum ApplicationProtocol: UInt8, Sendable, CaseIterable {
  case http2
  case http1

  /// The registered name.
  package var name: StaticString {
    switch self {
    case .http2: "h2"
    case .http1: "http/1.1"
    }
  }

  /// The protocol of a name on the wire.
  init?(_ name: Span<UInt8>) {
    for candidate in Self.allCases where candidate.isNamed(name) {
      self = candidate
      return
    }
    return nil
  }

  private func isNamed(_ bytes: Span<UInt8>) -> Bool {
    let text = name.description.utf8
    guard text.count == bytes.count else { return false }
    var index = 0
    for byte in text {
      if bytes[index] != byte { return false }
      index += 1
    }
    return true
  }

  /// Names as the extension carries them: each behind its length.
  static func wireForm(_ protocols: [ApplicationProtocol]) -> [UInt8] {
    protocols.flatMap { [UInt8(clamping: $0.name.utf8CodeUnitCount)] + Array($0.name.description.utf8) }
  }
}
