/// Holds a thread until a test lets it go on.
package struct Gate: Sendable {
  private let isOpen = Monitor(false)

  package init() {}

  package func open() { isOpen.change { $0 = true } }

  /// Waits until the gate is open.
  ///
  /// - Throws: `TestFailure` when nobody opens it.
  package func pass(seconds: Double = Patience.seconds) throws {
    guard isOpen.wait(seconds: seconds, for: { $0 ? true : nil }) != nil else {
      throw TestFailure("the gate stayed shut for \(seconds) s")
    }
  }
}
