import GatewayBase

/// The peers whose word on where a request came from counts; none where the configuration names none.
package struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]

  package init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

  var isEmpty: Bool { ranges.isEmpty }

  func contain(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }
}
