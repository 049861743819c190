import GatewayBase
import GatewayTLS
import Testing

/// Contexts of both sides.
struct Scene {
  var listener: TLSContext
  var client: TLSClientContext

  init(
    _ files: [Certificates.Files], protocols: [ApplicationProtocol] = [.http2, .http1],
    offering: [ApplicationProtocol] = [.http1], trust: TLSTrust = .anyone, tickets: TLSTicketKeys = TLSTicketKeys()
  ) throws {
    listener = try TLSContext(identities: files.map { try $0.identity() }, protocols: protocols, tickets: tickets)
    client = try TLSClientContext(trust: trust, protocols: offering)
  }

  func pair(_ host: String = "a.test", sendBuffer: Int32? = nil) throws -> Pair {
    try Pair(listener, client, host: URLHost(#require(HostName(host))), sendBuffer: sendBuffer)
  }

  /// A pair whose handshakes are done.
  func connected(_ host: String = "a.test", sendBuffer: Int32? = nil) throws -> Pair {
    let pair = try pair(host, sendBuffer: sendBuffer)
    let result = pair.shake()
    guard case .done = result.listener, case .done = result.client else { throw Unusable() }
    return pair
  }
}
