import GatewayBase

/// What a proxy in front says of a connection before its first byte: the PROXY protocol, versions 1 and 2 (haproxy's
/// `proxy-protocol.txt`).
package enum ProxyAnnouncement {
  /// What the first bytes of a connection are.
  package enum Verdict: Sendable, Equatable {
    /// The announcement is not whole yet.
    case incomplete
    /// The announcement is the first `count` bytes.
    ///
    /// - Parameter source: where the connection came from; nil where the proxy does not tell, or speaks for itself
    ///   (`UNKNOWN`, `LOCAL`, other families): then the peer stands.
    case complete(count: Int, source: SocketAddress?)
    /// Not an announcement, and never will be one: whoever sent it is no proxy that could be believed.
    case malformed
  }

  /// - Parameter bytes: all that has come of the connection, from its first byte.
  package static func read(_ bytes: Span<UInt8>) -> Verdict {
    guard bytes.count > 0 else { return .incomplete }
    return bytes[0] == UInt8(ascii: "P") ? ProxyTextLine.read(bytes) : ProxyBinaryHeader.read(bytes)
  }
}
