import GatewayIO
import Glibc
import Testing

@testable import GatewayTLS

@Suite struct EndTests {
  @Test("The end is told once by close_notify, behind all bytes, and the other direction goes on")
  func orderly() throws {
    let pair = try Scene([try Certificates.shared().a]).connected()
    #expect(pair.client.send("last") == .moved(4))
    pair.client.finishSending()
    let (result, bytes) = pair.listener.read()
    #expect(result == .moved(4) && bytes == Array("last".utf8))
    #expect(pair.listener.mayHaveMore(after: 4, of: ByteBlock.capacity))
    #expect(pair.listener.read().result == .ended)
    #expect(!pair.listener.wasTruncated)
    #expect(pair.listener.send("still open") == .moved(10))
    #expect(pair.client.text == "still open")
    pair.listener.finishSending()
    #expect(pair.client.read().result == .ended)
  }

  @Test("FIN without close_notify is an end, and known as one that may have been cut")
  func truncated() throws {
    let pair = try Scene([try Certificates.shared().a]).connected()
    #expect(pair.client.send("half") == .moved(4))
    shutdown(pair.client.descriptor, Int32(SHUT_WR))
    #expect(pair.listener.text == "half")
    #expect(pair.listener.read().result == .ended)
    #expect(pair.listener.wasTruncated)
  }

  @Test("A record that was tampered with breaks the connection")
  func tampered() throws {
    let pair = try Scene([try Certificates.shared().a]).connected()
    let record: [UInt8] = [23, 3, 3, 0, 32] + [UInt8](repeating: 9, count: 32)
    #expect(Socket.send(pair.client.descriptor, record.span) == .moved(record.count))
    #expect(pair.listener.read().result == .failed(EPROTO))
    #expect(pair.listener.read().result == .failed(EPROTO))
    #expect(pair.buffers.lent == 0)
  }

  @Test("A peer that has gone fails the sending")
  func gone() throws {
    let pair = try Scene([try Certificates.shared().a]).connected()
    pair.client.close()
    #expect(pair.listener.send("x") == .failed(EPIPE))
  }

  @Test("Sessions, contexts and buffers go with their connections")
  func noLeaks() throws {
    weak var context: TLSContext?
    weak var client: TLSClientContext?
    weak var buffers: TLSBuffers?
    do {
      let scene = try Scene([try Certificates.shared().a])
      let pair = try scene.connected()
      _ = pair.client.send([UInt8](repeating: 1, count: 100_000))
      (context, client, buffers) = (scene.listener, scene.client, pair.buffers)
      pair.client.close()
      pair.listener.close()
      #expect(pair.buffers.lent == 0)
      // One that never gets a socket.
      _ = scene.listener.session(pair.buffers)
    }
    #expect(context == nil && client == nil && buffers == nil)
  }
}
