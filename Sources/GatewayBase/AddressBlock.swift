/// The addresses that limits count as one: an IPv4 address, or the /64 of an IPv6 address, as one user has all of it.
package struct AddressBlock: Sendable, Hashable {
  private let isIPv4: Bool
  private let bits: UInt64

  /// An IPv4-mapped address counts as the IPv4 address that it carries.
  package init(_ address: IPAddress) {
    switch address.unmapped {
    case .v4(let value): (isIPv4, bits) = (true, UInt64(value))
    case .v6(let value): (isIPv4, bits) = (false, value.high)
    }
  }

  /// An IPv4 address, or the first address of an IPv6 block with its length.
  package var text: String {
    isIPv4
      ? IPAddress.v4(UInt32(truncatingIfNeeded: bits)).description
      : "\(IPAddress.v6(IPv6Number(high: bits, low: 0)))/64"
  }
}
