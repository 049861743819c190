import GatewayBase
import GatewayIO

/// One loop's idle connections to one place, the one used last first: the rest can age and go.
struct UpstreamPool {
  /// Milliseconds that a connection may idle where the backend names no limit: below the 5 s of common servers.
  static let idleLimit: UInt64 = 4_000
  /// The same for one of HTTP/2, which backends keep for longer and end with a word (GOAWAY).
  static let http2IdleLimit: UInt64 = 60_000

  /// The limit for a backend that says `Keep-Alive: timeout=…` (seconds): a second less, a minute at most.
  static func idleLimit(forTimeout seconds: UInt32) -> UInt64 {
    seconds == 0 ? 0 : min(60_000, UInt64(seconds) * 1000 - min(1000, UInt64(seconds) * 500))
  }

  private var idle: [Handle] = []

  /// Takes in a connection; false where the pool is full.
  mutating func put(_ handle: Handle) -> Bool {
    guard idle.count < Limits.idleUpstreams else { return false }
    idle.append(handle)
    return true
  }

  mutating func take() -> Handle? { idle.popLast() }

  /// Takes out a connection that died or has idled too long.
  mutating func remove(_ handle: Handle) {
    if let index = idle.lastIndex(of: handle) { idle.remove(at: index) }
  }
}
