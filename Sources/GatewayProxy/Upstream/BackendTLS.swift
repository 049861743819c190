import GatewayBase
import GatewayTLS

/// TLS towards one server of a backend: whom to believe, and the name that its certificate must have.
final class BackendTLS: Sendable {
  private struct State {
    var context: TLSClientContext?
    /// Monotonic milliseconds from which on the authorities are read anew.
    var renewAt: UInt64 = 0
  }

  private let host: URLHost
  private let trust: TLSTrust
  private let protocols: [ApplicationProtocol]
  private let state = Locked(State())

  /// Milliseconds for which authorities are used before their file is read again.
  private static let lifetime: UInt64 = 60_000

  /// Nil where the server is spoken to in the clear.
  init?(_ endpoint: UpstreamEndpoint) {
    guard case .tls(let authorities) = endpoint.security, let text = endpoint.host else { return nil }
    if let address = IPAddress(text[...]) {
      host = .address(address)
    } else if let name = HostName(text) {
      host = .name(name)
    } else {
      return nil
    }
    trust = authorities.map(TLSTrust.file) ?? .system
    protocols = endpoint.applicationProtocol == .h2 ? [.http2] : [.http1]
  }

  /// A session for a new connection; nil where there is no memory for it.
  ///
  /// - Parameter now: monotonic milliseconds.
  /// - Throws: where the authorities can't be read and never could.
  func session(_ buffers: TLSBuffers, now: UInt64) throws(TLSProblem) -> TLSSession? {
    let (context, problem) = state.withLock { state -> (TLSClientContext?, TLSProblem?) in
      guard now >= state.renewAt else { return (state.context, nil) }
      do throws(TLSProblem) {
        state.context = try TLSClientContext(trust: trust, protocols: protocols)
        state.renewAt = now + Self.lifetime
        return (state.context, nil)
      } catch {
        // Those that were read before go on to serve.
        return (state.context, error)
      }
    }
    if let context { return context.session(to: host, buffers) }
    if let problem { throw problem }
    return nil
  }
}
