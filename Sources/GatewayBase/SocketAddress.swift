/// An IP address and a port.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  /// Why a text is none.
  package enum Problem: Error, Sendable {
    /// The text does not begin with an IP address: IPv4, or IPv6 in brackets.
    case host
    /// No number from 0 to 65535 follows a last colon.
    case port
  }

  /// Never IPv4-mapped.
  package let host: IPAddress
  package let port: UInt16

  /// `::ffff:a.b.c.d` becomes the IPv4 address that it carries: rules and limits must see one form.
  package init(host: IPAddress, port: UInt16) {
    self.host = host.unmapped
    self.port = port
  }

  /// Reads a literal IPv4 or IPv6 address, without brackets.
  package init?(literal text: String, port: UInt16) {
    guard let host = IPAddress(text) else { return nil }
    self.init(host: host, port: port)
  }

  /// Reads `127.0.0.1:80` or `[::1]:80`.
  package init(_ text: String) throws(Problem) {
    guard let colon = text.lastIndex(of: ":"),
      let port = PortNumber.parse(text[text.index(after: colon)...], from: 0)
    else { throw .port }
    let host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    guard let address = IPAddress(isBracketed ? host.dropFirst().dropLast() : host) else { throw .host }
    // The colons of a bare IPv6 address can't be told from that of a port.
    if case .v6 = address, !isBracketed { throw .host }
    if case .v4 = address, isBracketed { throw .host }
    self.init(host: address, port: port)
  }

  /// This machine over IPv4.
  package static func loopback(port: UInt16) -> SocketAddress { SocketAddress(host: .v4(127 << 24 | 1), port: port) }

  /// 127.0.0.0/8 and ::1.
  package var isLoopback: Bool { host.isLoopback }

  package var description: String { "\(host.bracketed):\(port)" }
}
