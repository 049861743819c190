/// A property that an input broke.
public struct BrokenProperty: Error, CustomStringConvertible {
  /// What should have held.
  public let description: String
}

/// One door for random bytes: what must hold for any of them is checked behind it.
///
/// The plain test run replays seeds and mutations of them; `scripts/fuzz` looks for new inputs by coverage.
public struct FuzzTarget: Sendable {
  /// Also the name of its folder of seeds.
  public let name: String
  /// Checks what must hold for these bytes.
  public let run: @Sendable (_ bytes: [UInt8]) throws(BrokenProperty) -> Void

  /// All targets there are.
  public static let all: [FuzzTarget] = [
    FuzzTarget(name: "request-head", run: fuzzRequestHead),
    FuzzTarget(name: "response-head", run: fuzzResponseHead),
    FuzzTarget(name: "chunked-body", run: fuzzChunkedBody),
    FuzzTarget(name: "target", run: fuzzTarget),
    FuzzTarget(name: "host", run: fuzzHost),
    FuzzTarget(name: "forwarded-for", run: fuzzForwardedFor),
    FuzzTarget(name: "proxy-announcement", run: fuzzProxyAnnouncement),
    FuzzTarget(name: "websocket-frames", run: fuzzWebSocketFrames),
    FuzzTarget(name: "http2-ingress", run: fuzzHTTP2Ingress),
    FuzzTarget(name: "http2-egress", run: fuzzHTTP2Egress),
    FuzzTarget(name: "jose", run: fuzzJOSE),
    FuzzTarget(name: "yaml", run: fuzzYAML),
    FuzzTarget(name: "passkey", run: fuzzPasskey),
    FuzzTarget(name: "plugin-message", run: fuzzPluginMessage),
  ]

}

func expect(_ holds: Bool, _ property: @autoclosure () -> String) throws(BrokenProperty) {
  guard holds else { throw BrokenProperty(description: property()) }
}
