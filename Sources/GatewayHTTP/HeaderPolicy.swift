/// Which received fields may go on. What a request needs besides, the gateway writes itself.
package enum HeaderPolicy {
  /// A walk over a client's fields that go to the backend as they are.
  ///
  /// - Parameter methodOverride: the tenant's `methodOverride`, which lets the override family pass.
  package static func fieldsToBackend(methodOverride: Bool = false) -> PassingFields {
    let stopped: FieldClass = [.hopByHop, .nominated, .speed, .forwarding, .framing, .gatewayOwned]
    return PassingFields(stopping: methodOverride ? stopped : stopped.union(.methodOverride))
  }

  /// A walk over a backend's fields that go to the client as they are.
  ///
  /// `Alt-Svc` (RFC 7838) does not: it would send the client past the gateway, to an address of the backend.
  package static func fieldsToClient() -> PassingFields {
    PassingFields(stopping: [.hopByHop, .nominated, .speed, .framing, .gatewayOwned], and: .altSvc)
  }

  /// Whether a client's field goes to the backend as it is (see `fieldsToBackend`).
  package static func forwardsToBackend(_ field: Field, methodOverride: Bool = false) -> Bool {
    fieldsToBackend(methodOverride: methodOverride).passes(field)
  }

  /// Whether a backend's field goes to the client as it is (see `fieldsToClient`).
  package static func forwardsToClient(_ field: Field) -> Bool { fieldsToClient().passes(field) }
}
