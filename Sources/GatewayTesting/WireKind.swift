/// What the end-to-end tests speak to the gateway. Each of them must hold on every kind, but for those that are about
/// the bytes of HTTP/1.1 themselves.
package enum WireKind: String, Sendable, CaseIterable {
  /// HTTP/1.1.
  case plain
  /// HTTP/1.1 over TLS.
  case tls
  /// HTTP/2 over TLS.
  case h2

  /// The kind of this run: the variable `SPEED_TEST_WIRE`, plain without it.
  package static let current: WireKind = {
    guard let name = ProcessEnvironment.value("SPEED_TEST_WIRE") else { return .plain }
    guard let kind = WireKind(rawValue: name) else { preconditionFailure("SPEED_TEST_WIRE is plain, tls or h2") }
    return kind
  }()

  /// Whether a test's bytes reach the gateway as they are.
  package var isHTTP1: Bool { self != .h2 }
  /// The scheme of URLs.
  package var scheme: String { self == .plain ? "http" : "https" }
}
