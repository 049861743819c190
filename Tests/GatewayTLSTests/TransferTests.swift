import GatewayIO
import Glibc
import Testing

@testable import GatewayTLS

@Suite struct TransferTests {
  @Test("Bytes pass both ways, two runs as one, and the buffers go back when they are through")
  func bothWays() throws {
    let pair = try Scene([try Certificates.shared().a]).connected()
    #expect(pair.client.send("ping") == .moved(4))
    #expect(pair.listener.text == "ping")
    #expect(pair.listener.send(Array("po".utf8), Array("ng".utf8)) == .moved(4))
    #expect(pair.client.text == "pong")
    #expect(pair.client.read().result == .wouldBlock)
    #expect(pair.buffers.lent == 0)
  }

  @Test("A plain wire has no handshake, is never committed, and may have more where a read filled the room")
  func plain() throws {
    let ends = try Pair.sockets()
    let (one, other) = (Peer(plain: ends.0), Peer(plain: ends.1))
    #expect(one.handshake() == .done(nil))
    #expect(!one.isTLS && !one.isCommitted && !one.wasTruncated)
    #expect(one.send("abc") == .moved(3))
    #expect(other.read(room: 2).bytes.count == 2)
    #expect(other.mayHaveMore(after: 2, of: 2))
    #expect(!other.mayHaveMore(after: 1, of: 2))
    one.finishSending()
    #expect(other.read().result == .moved(1))
    #expect(other.read().result == .ended)
  }

  @Test("A full block leaves in one call and arrives whole")
  func fullBlock() throws {
    let pair = try Scene([try Certificates.shared().a]).connected(sendBuffer: 1 << 20)
    let head = [UInt8](repeating: 7, count: 300)
    let body = (0..<ByteBlock.capacity).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(pair.listener.send(head, body) == .moved(head.count + body.count))
    #expect(pair.client.readAll() == head + body)
  }

  @Test("A read into little room leaves the rest, says so, and the next one finds it without the kernel")
  func littleRoom() throws {
    let pair = try Scene([try Certificates.shared().a]).connected(sendBuffer: 1 << 20)
    let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
    #expect(pair.client.send(bytes) == .moved(bytes.count))
    var got: [UInt8] = []
    repeat {
      let (result, piece) = pair.listener.read(room: 1000)
      #expect(result == (piece.isEmpty ? .wouldBlock : .moved(piece.count)))
      got += piece
    } while pair.listener.mayHaveMore(after: 1000, of: 1000)
    #expect(got == bytes)
    #expect(pair.listener.read().result == .wouldBlock)
    #expect(pair.buffers.lent == 0)
  }

  @Test("A reader that takes nothing stops the sender, whose bytes count once their records are with the kernel")
  func backPressure() throws {
    let pair = try Scene([try Certificates.shared().a]).connected(sendBuffer: 8192)
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var (sent, got, stops) = (0, [UInt8](), 0)
    while got.count < bytes.count {
      if sent < bytes.count {
        let result = pair.listener.send(Array(bytes[sent...]))
        if case .moved(let count) = result {
          sent += count
        } else {
          #expect(result == .wouldBlock)
          #expect(pair.listener.isCommitted)
          stops += 1
        }
      }
      if case (.moved, let piece) = pair.client.read(room: 5000) { got += piece }
    }
    #expect(got == bytes)
    #expect(sent == bytes.count)
    #expect(stops > 10)
    #expect(!pair.listener.isCommitted)
    #expect(pair.buffers.lent == 0)
  }

  @Test("What is committed is counted once it is out, and more may stand behind it at the next call")
  func sameBytes() throws {
    let pair = try Scene([try Certificates.shared().a]).connected(sendBuffer: 8192)
    let bytes = [UInt8](repeating: 1, count: 50_000)
    #expect(pair.listener.send(bytes) == .wouldBlock)
    var got = 0
    var result = Transfer.wouldBlock
    while result == .wouldBlock {
      got += pair.client.readAll().count
      result = pair.listener.send(bytes, [2, 2, 2])
    }
    #expect(result == .moved(bytes.count))
    got += pair.client.readAll().count
    #expect(got == bytes.count)
    #expect(pair.listener.send([2, 2, 2]) == .moved(3))
    #expect(pair.client.readAll() == [2, 2, 2])
  }

  @Test("A caller that comes back with less than is out already is refused")
  func brokenRule() throws {
    let pair = try Scene([try Certificates.shared().a]).connected(sendBuffer: 8192)
    #expect(pair.listener.send([UInt8](repeating: 1, count: 50_000)) == .wouldBlock)
    var result = Transfer.wouldBlock
    while result == .wouldBlock {
      _ = pair.client.readAll()
      result = pair.listener.send("short")
    }
    #expect(result == .failed(EINVAL))
  }

  @Test("Both ends can send at once more than fits")
  func crossing() throws {
    let pair = try Scene([try Certificates.shared().a]).connected(sendBuffer: 8192)
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
    var sent = [0, 0]
    var got: [[UInt8]] = [[], []]
    let ends = [pair.listener, pair.client]
    while got[0].count < bytes.count || got[1].count < bytes.count {
      for index in 0...1 {
        if sent[index] < bytes.count, case .moved(let count) = ends[index].send(Array(bytes[sent[index]...])) {
          sent[index] += count
        }
        got[index] += ends[index].readAll()
      }
    }
    #expect(got == [bytes, bytes])
  }
}
