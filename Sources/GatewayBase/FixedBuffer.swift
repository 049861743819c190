/// A run of numbers or other plain values of a fixed count at one address: an array without a reference count, a check
/// for uniqueness or a copy. For tables that are made once for an event loop.
@safe public struct FixedBuffer<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline let address: UnsafeMutablePointer<Element>
  /// How many values it holds.
  public let count: Int

  /// - Parameters:
  ///   - element: what each place holds at first.
  ///   - count: at least 1.
  public init(repeating element: Element, count: Int) {
    precondition(count > 0)
    self.count = count
    unsafe address = .allocate(capacity: count)
    unsafe address.initialize(repeating: element, count: count)
  }

  deinit { unsafe address.deallocate() }

  /// The value at an index below `count`: it traps beyond.
  @inlinable public subscript(index: Int) -> Element {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(place(index)) }
    @inline(__always) unsafeMutableAddress { unsafe place(index) }
  }

  @inlinable @inline(__always) func place(_ index: Int) -> UnsafeMutablePointer<Element> {
    // One comparison: a negative index is a very large one.
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
    return unsafe address + index
  }

  /// The first `count` values.
  @_lifetime(borrow self)
  @inlinable public func prefix(_ count: Int) -> Span<Element> {
    precondition(count >= 0 && count <= self.count)
    let span = unsafe Span(_unsafeStart: address, count: count)
    return unsafe _overrideLifetime(span, borrowing: self)
  }
}

// `@unchecked Sendable` holds as for an array: the memory has one owner, and is changed only with exclusive access to it.
extension FixedBuffer: @unchecked Sendable where Element: Sendable {}
