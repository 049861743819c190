import GatewayBase

/// Version 2: a signature, command, family, length, addresses and whatever else the length covers (section 2.2).
enum ProxyBinaryHeader {
  private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
  /// Bytes before the addresses.
  private static let fixed = 16

  static func read(_ bytes: Span<UInt8>) -> ProxyAnnouncement.Verdict {
    for index in 0..<min(bytes.count, signature.count) where bytes[index] != signature[index] { return .malformed }
    guard bytes.count >= fixed else { return .incomplete }
    let (command, family) = (bytes[12], bytes[13])
    let count = fixed + Int(bytes[14]) << 8 + Int(bytes[15])
    guard command == local || command == proxy, families.contains(family), count <= Limits.proxyAnnouncement else {
      return .malformed
    }
    guard bytes.count >= count else { return .incomplete }
    // Of a check that the proxy makes for itself nothing is told, whatever follows.
    if command == local { return .complete(count: count, source: nil) }
    switch family {
    case 0x11:
      guard count >= fixed + 12 else { return .malformed }
      let address = UInt32(truncatingIfNeeded: number(bytes, fixed, count: 4))
      let port = UInt16(truncatingIfNeeded: number(bytes, fixed + 8, count: 2))
      return .complete(count: count, source: SocketAddress(host: .v4(address), port: port))
    case 0x21:
      guard count >= fixed + 36 else { return .malformed }
      let address = IPv6Number(high: number(bytes, fixed, count: 8), low: number(bytes, fixed + 8, count: 8))
      let port = UInt16(truncatingIfNeeded: number(bytes, fixed + 32, count: 2))
      return .complete(count: count, source: SocketAddress(host: .v6(address), port: port))
    default:
      return .complete(count: count, source: nil)
    }
  }

  private static let local: UInt8 = 0x20
  private static let proxy: UInt8 = 0x21
  /// Unspecified; IPv4, IPv6 and Unix, each as stream or datagram. Others are refused, as the text demands.
  private static let families: [UInt8] = [0x00, 0x11, 0x12, 0x21, 0x22, 0x31, 0x32]

  /// `count` bytes as one number, the first on top.
  private static func number(_ bytes: Span<UInt8>, _ start: Int, count: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in start..<start + count { value = value << 8 | UInt64(bytes[index]) }
    return value
  }
}
