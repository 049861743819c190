import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayProxy

/// Long bodies, which pass inside the kernel.
@Suite(.serialized) struct SpliceTests {
  private static let count = 3_000_000

  @Test("A long answer leaves its connection to the backend for the next request")
  func reuse() throws {
    let body = Sample.bytes(Self.count)
    let backend = try ScriptedBackend { try $0.reply(body: body) }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    for _ in 0..<4 { #expect(try connection.exchange(.get()).body == body) }
    #expect(backend.accepted == 1)
  }

  @Test("GW-65 a client that does not read a long answer holds no more than one block of it, in a pipe")
  func slowReader() async throws {
    let backend = try ScriptedBackend { exchange in
      try? exchange.reply(body: [UInt8](repeating: 0x61, count: 32 << 20))
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect(receiveBuffer: 65_536)
    try connection.send(HTTPRequest.get().bytes)
    #expect(try connection.receiveHead().status == 200)
    #expect(await eventually(proxy) { $0.pipes == 1 && $0.blocks == 0 })
    connection.reset()
    #expect(await eventually(proxy) { $0.pipes == 0 && $0.clients == 0 && $0.exchanges == 0 })
    #expect(backend.waitForOpen(0))
  }

  @Test("A backend that takes no more of a long upload holds no more than one block of it, in a pipe")
  func slowBackend() async throws {
    let gate = Gate()
    let backend = try ScriptedBackend { _ in try gate.pass() }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    let sending = BackgroundSender(connection).start(Sample.request(Sample.bytes(32 << 20), isChunked: false))
    #expect(await eventually(proxy) { $0.pipes == 1 && $0.blocks == 0 })
    gate.open()
    _ = try sending.wait()
    #expect(await eventually(proxy) { $0.pipes == 0 })
  }

  @Test("A long answer that the backend does not finish ends the client's connection")
  func broken() async throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.count)\r\n\r\n")
      try exchange.send(Sample.bytes(Self.count - 1))
      exchange.reset()
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    try connection.send(HTTPRequest.get().bytes)
    #expect(try connection.receiveHead().status == 200)
    #expect(try connection.receiveToEnd().count < Self.count)
    #expect(await eventually(proxy) { $0.pipes == 0 && $0.exchanges == 0 })
  }

  @Test("With no pipe left long bodies are copied, both ways")
  func exhausted() async throws {
    let body = Sample.bytes(Self.count)
    let backend = try ScriptedBackend { try $0.reply(body: try $0.readBody()) }
    let proxy = try ProxyFixture([backend]) { $0.limits.pipes = 0 }
    let connection = try proxy.connect()
    let sending = BackgroundSender(connection).start(Sample.request(body, isChunked: false))
    #expect(try connection.receiveAnswer().body == body)
    _ = try sending.wait()
  }

  /// Waits until what the workers hold is as `condition` says.
  private func eventually(_ proxy: ProxyFixture, _ condition: (Holdings) -> Bool) async -> Bool {
    let end = MonotonicClock.nanoseconds + 5_000_000_000
    while MonotonicClock.nanoseconds < end {
      if condition(await proxy.workers.holdings()) { return true }
      try? await Task.sleep(nanoseconds: 5_000_000)
    }
    return false
  }
}
