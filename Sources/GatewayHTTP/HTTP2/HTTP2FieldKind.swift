/// Fields that mean something to HTTP/2 itself; names are compared without their case.
enum HTTP2FieldKind {
  case ordinary
  case host
  case cookie
  case contentLength
  case te
  /// Belongs to a connection of HTTP/1.1 and may not be in a message of HTTP/2 (RFC 9113 section 8.2.2).
  case connectionSpecific
  /// Passes, but differs with each message or is a secret: kept out of compression (RFC 7541 section 7.1).
  case unindexed

  @inline(__always)
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    switch range.count {
    case 2, 4, 6, 7, 10...14, 16, 17:
      self.init(PackedText(lowercasing: bytes, range))
    default: self = .ordinary
    }
  }

  private init(_ name: PackedText) {
    switch name {
    case Self.hostName: self = .host
    case Self.cookieName: self = .cookie
    case Self.lengthName: self = .contentLength
    case Self.teName: self = .te
    case Self.connectionName, Self.keepAliveName, Self.upgradeName, Self.codingName, Self.proxyConnectionName:
      self = .connectionSpecific
    case Self.authorizationName, Self.setCookieName, Self.requestIDName, Self.traceName, Self.assertionName:
      self = .unindexed
    default: self = .ordinary
    }
  }

  private static let hostName = PackedText("host")
  private static let cookieName = PackedText("cookie")
  private static let lengthName = PackedText("content-length")
  private static let teName = PackedText("te")
  private static let connectionName = PackedText("connection")
  private static let keepAliveName = PackedText("keep-alive")
  private static let upgradeName = PackedText("upgrade")
  private static let codingName = PackedText("transfer-encoding")
  private static let proxyConnectionName = PackedText("proxy-connection")
  private static let authorizationName = PackedText("authorization")
  private static let setCookieName = PackedText("set-cookie")
  private static let requestIDName = PackedText("x-request-id")
  private static let traceName = PackedText("traceparent")
  private static let assertionName = PackedText("x-speed-assertion")
}
