/// Which received fields may go on. What a request needs besides, the gateway writes itself.
package enum HeaderPolicy {
  /// Whether a client's field goes to the backend as it is.
  ///
  /// - Parameter methodOverride: the tenant's `methodOverride`, which lets the override family pass.
  package static func forwardsToBackend(_ field: Field, methodOverride: Bool = false) -> Bool {
    let kept = field.fieldClass.isDisjoint(with: [.hopByHop, .nominated, .speed, .forwarding, .framing, .gatewayOwned])
    return kept && (methodOverride || !field.fieldClass.contains(.methodOverride))
  }

  /// Whether a backend's field goes to the client as it is.
  ///
  /// `Alt-Svc` (RFC 7838) does not: it would send the client past the gateway, to an address of the backend.
  package static func forwardsToClient(_ field: Field) -> Bool {
    field.fieldClass.isDisjoint(with: [.hopByHop, .nominated, .speed, .framing, .gatewayOwned]) && field.name != .altSvc
  }
}
