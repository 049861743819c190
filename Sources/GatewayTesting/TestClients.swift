import GatewayTLS

/// The clients of one gateway, for each kind of wire.
struct TestClients: Sendable {
  private let tls: TLSClientContext
  private let h2: TLSClientContext

  /// - Parameter authority: path of the certificate that the gateway must show.
  init(authority: String) throws {
    tls = try TLSClientContext(trust: .file(authority), protocols: [.http1])
    h2 = try TLSClientContext(trust: .file(authority), protocols: [.http2])
  }

  func connect(
    _ kind: WireKind, port: UInt16, tlsPort: UInt16?, _ seconds: Double, _ receiveBuffer: Int32?
  ) throws -> any TestWire {
    switch (kind, tlsPort) {
    case (.plain, _): try StreamSocket.connect(port: port, receiveBuffer: receiveBuffer)
    case (.tls, let port?): try TLSStream(port: port, tls, seconds: seconds, receiveBuffer: receiveBuffer)
    case (.h2, let port?):
      try HTTP2Wire(TLSStream(port: port, h2, seconds: seconds, receiveBuffer: receiveBuffer), seconds: seconds)
    case (_, nil): throw TestFailure("the gateway has no listener with TLS")
    }
  }

  /// A wire that agreed on HTTP/2, for frames.
  func http2Stream(tlsPort: UInt16?, _ seconds: Double) throws -> TLSStream {
    guard let tlsPort else { throw TestFailure("the gateway has no listener with TLS") }
    return try TLSStream(port: tlsPort, h2, seconds: seconds)
  }
}
