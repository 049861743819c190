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

  /// Few names have the length of one of these, so that most are told by it alone.
  @inline(__always)
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    switch range.count {
    case 2, 4, 6, 7, 10...14, 16, 17: self.init(PackedText(lowercasing: bytes, range))
    default: self = .ordinary
    }
  }

  private init(_ name: PackedText) {
    switch name.count {
    case 2: self = name == Self.teName ? .te : .ordinary
    case 4: self = name == Self.hostName ? .host : .ordinary
    case 6: self = name == Self.cookieName ? .cookie : .ordinary
    case 7: self = name == Self.upgradeName ? .connectionSpecific : .ordinary
    case 10 where name == Self.connectionName || name == Self.keepAliveName: self = .connectionSpecific
    case 10: self = name == Self.setCookieName ? .unindexed : .ordinary
    case 11: self = name == Self.traceName ? .unindexed : .ordinary
    case 12: self = name == Self.requestIDName ? .unindexed : .ordinary
    case 13: self = name == Self.authorizationName ? .unindexed : .ordinary
    case 14: self = name == Self.lengthName ? .contentLength : .ordinary
    case 16: self = name == Self.proxyConnectionName ? .connectionSpecific : .ordinary
    case 17 where name == Self.codingName: self = .connectionSpecific
    case 17: self = name == Self.assertionName ? .unindexed : .ordinary
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
