import GatewayIO
import GatewayTesting
import Testing

@testable import GatewayTLS

@Suite struct IdleMemoryTests {
  @Test("A connection that waits for its next request holds no buffer and less than 15 KiB")
  func idle() throws {
    let scene = try Scene([try Certificates.shared().a])
    let buffers = TLSBuffers()
    func connection() throws -> Peer {
      let pair = try Pair(scene.listener, scene.client, host: .name(.init(literal: "a.test")), buffers: buffers)
      _ = pair.shake()
      _ = pair.client.send("request")
      _ = pair.listener.readAll()
      _ = pair.listener.send([UInt8](repeating: 1, count: 20_000))
      _ = pair.client.readAll()
      pair.client.close()
      return pair.listener
    }
    _ = try connection()
    let before = HeapUse.bytes
    let idle = try (0..<400).map { _ in try connection() }
    let each = (HeapUse.bytes - before) / idle.count
    #expect(buffers.lent == 0)
    #expect(each < 15 * 1024, "\(each) bytes")
  }
}
