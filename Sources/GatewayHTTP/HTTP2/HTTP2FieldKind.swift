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
    case 2: self = name.equals("te") ? .te : .ordinary
    case 4: self = name.equals("host") ? .host : .ordinary
    case 6: self = name.equals("cookie") ? .cookie : .ordinary
    case 7: self = name.equals("upgrade") ? .connectionSpecific : .ordinary
    case 10 where name.equals("connection") || name.equals("keep-alive"): self = .connectionSpecific
    case 10: self = name.equals("set-cookie") ? .unindexed : .ordinary
    case 11: self = name.equals("traceparent") ? .unindexed : .ordinary
    case 12: self = name.equals("x-request-id") ? .unindexed : .ordinary
    case 13: self = name.equals("authorization") ? .unindexed : .ordinary
    case 14: self = name.equals("content-length") ? .contentLength : .ordinary
    case 16: self = name.equals("proxy-connection") ? .connectionSpecific : .ordinary
    case 17 where name.equals("transfer-encoding"): self = .connectionSpecific
    case 17: self = name.equals("x-speed-assertion") ? .unindexed : .ordinary
    default: self = .ordinary
    }
  }
}
