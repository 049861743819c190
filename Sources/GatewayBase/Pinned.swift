/// A value at one address, changed in place by code that holds only a reference: a loop's scratch state, free of
/// exclusivity checks.
///
/// Not shared: only the loop's thread touches it.
@safe public struct Pinned<Value: ~Copyable>: ~Copyable {
  @usableFromInline let address: UnsafeMutablePointer<Value>

  /// Gives the value its address.
  public init(_ value: consuming Value) {
    unsafe address = .allocate(capacity: 1)
    unsafe address.initialize(to: value)
  }

  deinit {
    unsafe address.deinitialize(count: 1)
    unsafe address.deallocate()
  }

  /// The value, in place.
  @inlinable public var value: Value {
    unsafeAddress { unsafe UnsafePointer(address) }
    nonmutating unsafeMutableAddress { unsafe address }
  }
}
