import GatewayTesting
import Testing

/// Lets a suite run on every wire: a test whose bytes have no form on this run's wire counts as skipped there.
struct OnEveryWire: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    do {
      try await function()
    } catch is NotOnThisWire {
      try Test.cancel("its bytes have no form on this wire")
    }
  }
}

extension Trait where Self == OnEveryWire {
  static var onEveryWire: Self { OnEveryWire() }
}

extension Trait where Self == ConditionTrait {
  /// For what is about the bytes of HTTP/1.1, over TLS or not.
  static var aboutHTTP1: Self { .enabled(if: WireKind.current.isHTTP1, "it is about the bytes of HTTP/1.1") }

  /// For tests that choose their wire themselves: they run once.
  static var onWiresOfItsOwn: Self { .enabled(if: WireKind.current == .plain, "it chooses its wire itself") }
}
