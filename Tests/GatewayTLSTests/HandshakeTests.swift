import GatewayBase
import GatewayIO
import Glibc
import Testing

@testable import GatewayTLS

@Suite struct HandshakeTests {
  @Test("The certificate follows the name asked for: exact, by wildcard for one label, and the first without a name")
  func names() throws {
    let files = try Certificates.shared()
    for (host, expected) in [
      ("a.test", files.a), ("A.TEST", files.a), ("b.test", files.wild), ("x.wild.test", files.wild),
      ("127.0.0.1", files.a),
    ] {
      // Trusts the expected certificate alone, as its own authority.
      let scene = try Scene([files.a, files.wild], trust: .file(expected.certificate))
      let result = try scene.pair(host).shake()
      if host == "127.0.0.1" {
        // It names no address, which the check must find: but it came, as the verdict is about its names alone.
        #expect(result.client == .failed(.certificate(64)))
      } else {
        #expect(result.client == .done(.http1), "\(host)")
      }
    }
  }

  @Test(
    "GW-121 a name that no certificate is for is refused in the handshake, by the alert that says so",
    arguments: ["other.test", "wild.test", "a.b.wild.test", "xa.test"])
  func unknownName(host: String) throws {
    let files = try Certificates.shared()
    let pair = try Scene([files.a, files.wild]).pair(host)
    let result = pair.shake()
    #expect(result.listener == .failed(.unknownName))
    guard case .failed(let failure) = result.client else { return #expect(Bool(false)) }
    #expect(failure.description.contains("unrecognized name"))
    #expect(pair.buffers.lent == 0)
  }

  @Test("A name may have a certificate of each kind of key")
  func kinds() throws {
    let files = try Certificates.shared()
    let scene = try Scene([files.a, files.rsa])
    #expect(try scene.pair("a.test").shake().client == .done(.http1))
    #expect(try scene.pair("rsa.test").shake().client == .done(.http1))
    let elliptic = try Scene([files.rsa, files.a], trust: .file(files.a.certificate))
    #expect(try elliptic.pair("a.test").shake().client == .done(.http1))
  }

  @Test(
    "The protocol is the first of ours that the client offers; without an offer there is none",
    arguments: [
      ([ApplicationProtocol.http2, .http1], [ApplicationProtocol.http1, .http2], ApplicationProtocol.http2),
      ([.http2, .http1], [.http1], .http1), ([.http1], [.http2, .http1], .http1), ([.http2, .http1], [], nil),
    ])
  func protocols(ours: [ApplicationProtocol], theirs: [ApplicationProtocol], expected: ApplicationProtocol?) throws {
    let result = try Scene([try Certificates.shared().a], protocols: ours, offering: theirs).pair().shake()
    #expect(result.listener == .done(expected))
    #expect(result.client == .done(expected))
  }

  @Test("A client that offers only what we don't speak is refused by the alert for it")
  func noCommonProtocol() throws {
    let pair = try Scene([try Certificates.shared().a], protocols: [.http1], offering: [.http2]).pair()
    let result = pair.shake()
    #expect(result.listener == .failed(.noCommonProtocol))
    guard case .failed(let failure) = result.client else { return #expect(Bool(false)) }
    #expect(failure.description.contains("no application protocol"))
  }

  @Test("A request that came with the client's last flight is there when the handshake is done")
  func requestBehind() throws {
    let pair = try Scene([try Certificates.shared().a]).pair()
    #expect(pair.client.handshake() == .needsMore)
    #expect(pair.listener.handshake() == .needsMore)
    #expect(pair.client.handshake() == .done(.http1))
    #expect(pair.client.send("early bird") == .moved(10))
    #expect(pair.listener.handshake() == .done(.http1))
    #expect(pair.listener.text == "early bird")
  }

  @Test("A hello that comes byte by byte is as good as one in one piece")
  func bytewise() throws {
    let ends = try Pair.sockets()
    let relay = try Pair.sockets()
    let scene = try Scene([try Certificates.shared().a])
    let buffers = TLSBuffers()
    let client = try Peer(ends.0, to: .name(HostName(literal: "a.test")), scene.client, buffers)
    let listener = try Peer(relay.0, accepting: scene.listener, buffers)
    let (fromClient, toListener) = (Peer(plain: ends.1), Peer(plain: relay.1))
    #expect(client.handshake() == .needsMore)
    for byte in fromClient.readAll() {
      #expect(listener.handshake() == .needsMore)
      #expect(buffers.lent == 0)
      #expect(toListener.send([byte]) == .moved(1))
    }
    #expect(listener.handshake() == .needsMore)
    #expect(fromClient.send(toListener.readAll()) != .wouldBlock)
    #expect(client.handshake() == .done(.http1))
  }

  @Test(
    "What is no TLS fails and holds nothing",
    arguments: ["a request", "zeros", "a hello that is too short", "a record that is too long", "a byte"])
  func garbage(kind: String) throws {
    let bytes: [UInt8] =
      switch kind {
      case "a request": Array("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8)
      case "zeros": [UInt8](repeating: 0, count: 600)
      case "a hello that is too short": [22, 3, 1, 0, 5, 1, 0, 0, 1, 0]
      case "a record that is too long": [22, 3, 1, 255, 255] + [UInt8](repeating: 1, count: 20_000)
      default: [0x80]
      }
    let ends = try Pair.sockets()
    let buffers = TLSBuffers()
    let scene = try Scene([try Certificates.shared().a])
    let listener = try Peer(ends.0, accepting: scene.listener, buffers)
    let client = Peer(plain: ends.1)
    _ = client.send(bytes)
    client.finishSending()
    guard case .failed(let failure) = listener.handshake() else { return #expect(Bool(false)) }
    #expect(!failure.description.isEmpty)
    listener.close()
    #expect(buffers.lent == 0)
  }

  @Test("A peer that leaves in the middle is told apart from one that breaks the protocol")
  func leaves() throws {
    let pair = try Scene([try Certificates.shared().a]).pair()
    #expect(pair.client.handshake() == .needsMore)
    pair.client.close()
    while case .needsMore = pair.listener.handshake() {}
    guard case .failed(let failure) = pair.listener.handshake() else { return #expect(Bool(false)) }
    #expect(failure == .ended || failure == .system(EPIPE) || failure == .system(ECONNRESET))
  }
}
