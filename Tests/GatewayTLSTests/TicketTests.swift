import GatewayBase
import GatewayIO
import Testing

@testable import GatewayTLS

@Suite struct TicketTests {
  /// Connects once, so that the client has a ticket, and tells whether the connection resumed.
  private func visit(_ listener: TLSContext, _ client: TLSClientContext, _ host: String) throws -> Bool {
    let pair = try Pair(listener, client, host: .name(#require(HostName(host))))
    let result = pair.shake()
    guard case .done = result.listener, case .done = result.client else { throw Unusable() }
    #expect(pair.client.read().result == .wouldBlock)
    #expect(pair.listener.wasResumed == pair.client.wasResumed)
    pair.client.close()
    return pair.listener.wasResumed
  }

  @Test("A client resumes by its ticket, on any listener of the same keys, also after a reload")
  func resumes() throws {
    let files = try Certificates.shared()
    let tickets = TLSTicketKeys()
    let before = try Scene([files.a], tickets: tickets)
    let after = try Scene([files.rsa, files.wild], tickets: tickets)
    #expect(try !visit(before.listener, before.client, "a.test"))
    #expect(try visit(before.listener, before.client, "a.test"))
    #expect(try visit(after.listener, before.client, "a.test"))
  }

  @Test("A ticket of other keys is worth nothing, and the handshake is a full one")
  func foreign() throws {
    let files = try Certificates.shared()
    let (one, other) = (try Scene([files.a]), try Scene([files.a]))
    #expect(try !visit(one.listener, one.client, "a.test"))
    #expect(try !visit(other.listener, one.client, "a.test"))
  }

  @Test("Keys rotate: the one before still decrypts, the one before that does not")
  func rotation() throws {
    let clock = SetClock()
    let keys = TLSTicketKeys(clock: clock)
    let first = try #require(keys.current())
    clock.advance(seconds: TLSTicketKeys.lifetime - 1)
    #expect(keys.current()?.name == first.name)
    clock.advance(seconds: 1)
    let second = try #require(keys.current())
    #expect(second.name != first.name && second.cipherKey != first.cipherKey && second.macKey != first.macKey)
    #expect(keys.key(named: first.name) != nil)
    clock.advance(seconds: TLSTicketKeys.lifetime)
    #expect(keys.key(named: first.name) == nil)
    #expect(keys.key(named: second.name) != nil)
    clock.advance(seconds: 2 * TLSTicketKeys.lifetime)
    #expect(keys.key(named: second.name) == nil)
  }

  @Test("A client resumes across one rotation, and gets a ticket of the new key")
  func resumesAcrossRotation() throws {
    let clock = SetClock()
    let scene = try Scene([try Certificates.shared().a], tickets: TLSTicketKeys(clock: clock))
    #expect(try !visit(scene.listener, scene.client, "a.test"))
    clock.advance(seconds: TLSTicketKeys.lifetime + 1)
    #expect(try visit(scene.listener, scene.client, "a.test"))
    clock.advance(seconds: TLSTicketKeys.lifetime + 1)
    #expect(try visit(scene.listener, scene.client, "a.test"))
    clock.advance(seconds: 2 * TLSTicketKeys.lifetime)
    #expect(try !visit(scene.listener, scene.client, "a.test"))
  }

  @Test(
    "A ticket is good for its name and its protocol alone",
    arguments: [
      ("x.wild.test", ApplicationProtocol.http1, true), ("y.wild.test", .http1, false), ("x.wild.test", .http2, false),
    ])
  func scope(host: String, offering: ApplicationProtocol, resumes: Bool) throws {
    let scene = try Scene([try Certificates.shared().wild])
    #expect(try !visit(scene.listener, scene.client, "x.wild.test"))
    // Offers the session that the other one has.
    let other = try TLSClientContext(trust: .anyone, protocols: [offering])
    let sessions = scene.client.sessions(with: .name(HostName(literal: "x.wild.test")))
    let name = URLHost.name(try #require(HostName(host)))
    other.hosts.withLock { $0[name] = sessions }
    #expect(try visit(scene.listener, other, host) == resumes)
  }

  @Test("What a ticket is bound to differs by name and by protocol")
  func scopeBytes() {
    let values = [
      TicketScope.bytes(.absent, .none), TicketScope.bytes(.absent, .chosen(.http1)),
      TicketScope.bytes(.name("a.test"), .none), TicketScope.bytes(.name("a.test"), .chosen(.http1)),
      TicketScope.bytes(.name("a.test"), .chosen(.http2)), TicketScope.bytes(.name("b.test"), .chosen(.http2)),
    ]
    #expect(Set(values).count == values.count)
    #expect(values.allSatisfy { $0.count == 32 })
  }
}
