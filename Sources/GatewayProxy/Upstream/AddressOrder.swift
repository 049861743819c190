import GatewayBase

/// The order in which the addresses of a name are tried (RFC 8305 section 4).
enum AddressOrder {
  /// The resolver's order, but with the families by turns, so that one that leads nowhere costs one attempt. The
  /// address that worked last goes first where it is still one of the name's.
  static func interleaved(_ addresses: [SocketAddress], preferring last: SocketAddress?) -> [SocketAddress] {
    let startsWithIPv6 = addresses.first?.isIPv6 ?? false
    var first = addresses.filter { $0.isIPv6 == startsWithIPv6 }[...]
    var second = addresses.filter { $0.isIPv6 != startsWithIPv6 }[...]
    var ordered: [SocketAddress] = []
    while !first.isEmpty || !second.isEmpty {
      if let address = first.popFirst() { ordered.append(address) }
      if let address = second.popFirst() { ordered.append(address) }
    }
    if let last, let index = ordered.firstIndex(of: last) {
      ordered.remove(at: index)
      ordered.insert(last, at: 0)
    }
    return ordered
  }
}

extension SocketAddress {
  fileprivate var isIPv6: Bool { if case .v6 = host { true } else { false } }
}
