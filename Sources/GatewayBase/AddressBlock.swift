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
}
