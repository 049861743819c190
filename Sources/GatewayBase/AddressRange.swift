/// A range of addresses in CIDR notation: `10.0.0.0/8`, `fd00::/8`, or one address alone.
package struct AddressRange: Sendable, Hashable {
  /// The first address; IPv4-mapped ranges are kept as their IPv4 range, so that both spellings match alike.
  package let address: IPAddress
  /// The leading bits that count: 32 at most for IPv4, 128 for IPv6.
  package let prefix: Int

  package init(address: IPAddress, prefix: Int) {
    self.address = address
    self.prefix = prefix
  }

  /// Whether the range holds an address; an IPv4-mapped one counts as the IPv4 address that it carries.
  package func contains(_ candidate: IPAddress) -> Bool {
    switch (address, candidate.unmapped) {
    case (.v4(let first), .v4(let other)): (first ^ other) >> (32 - prefix) == 0
    case (.v6(let first), .v6(let other)): first.masked(to: prefix) == other.masked(to: prefix)
    default: false
    }
  }
}
