import GatewayBase
import Glibc
import Testing

@testable import GatewayIO

@Suite struct SocketTests {
  @Test("Bytes pass both ways, and the end of a direction is told once they are read")
  func transfer() throws {
    let pair = try Pair()
    #expect(pair.client.send("ping") == .moved(4))
    #expect(try pair.accepted.receive() == "ping")
    #expect(pair.accepted.send("po", "ng") == .moved(4))
    #expect(try pair.client.receive() == "pong")
    Socket.finishSending(pair.client.descriptor)
    pair.accepted.wait(POLLIN)
    #expect(pair.accepted.take() == .ended)
    #expect(pair.accepted.send("still open") == .moved(10))
    #expect(try pair.client.receive() == "still open")
  }

  @Test("Nothing to read is no error, and a peer that takes no more stops the sending")
  func wouldBlock() throws {
    let pair = try Pair()
    #expect(pair.client.take() == .wouldBlock)
    let bytes = [UInt8](repeating: 1, count: 1 << 20)
    var result = Transfer.moved(0)
    while case .moved = result { result = Socket.send(pair.client.descriptor, bytes.span) }
    #expect(result == .wouldBlock)
  }

  @Test("A write to a peer that reset the connection fails without a signal")
  func broken() throws {
    let pair = try Pair()
    pair.accepted.reset()
    pair.client.wait(POLLIN)
    #expect(pair.client.take() == .failed(ECONNRESET))
    #expect(pair.client.send("x") == .failed(EPIPE))
  }

  @Test("Nobody at the path of a Unix socket is told at once, and a path that is too long is nobody's")
  func unixSocket() {
    for path in ["/nonexistent/app.sock", "/" + String(repeating: "a", count: 200)] {
      #expect(throws: SystemError.self) { try Socket.connect(toUnix: path) }
    }
  }

  @Test("A refused connection is told by the pending error")
  func refused() throws {
    let listener = try Socket.listen(on: SocketAddress(host: .v4(0x7F00_0001), port: 0), sharesPort: true)
    let address = try #require(Socket.localAddress(of: listener))
    Socket.close(listener)
    let stream = Stream(try Socket.connect(to: address))
    stream.wait(POLLOUT)
    #expect(Socket.pendingError(stream.descriptor) == ECONNREFUSED)
  }

  @Test("Two listeners share a port, so that each loop can have its own")
  func sharedPort() throws {
    let first = try Socket.listen(on: SocketAddress(host: .v4(0x7F00_0001), port: 0), sharesPort: true)
    defer { Socket.close(first) }
    let second = try Socket.listen(on: try #require(Socket.localAddress(of: first)), sharesPort: true)
    Socket.close(second)
  }

  @Test("An address of another machine can't be listened on, and the error says at which call")
  func foreignAddress() {
    do {
      Socket.close(try Socket.listen(on: SocketAddress(host: .v4(0xC000_0201), port: 0), sharesPort: true))
      Issue.record("it could be listened on")
    } catch {
      #expect(error.number == EADDRNOTAVAIL)
      #expect("\(error)".contains("bind"))
    }
  }
}

/// Both ends of a connection on loopback.
private struct Pair {
  let client: Stream
  let accepted: Stream

  init() throws {
    let listener = Stream(try Socket.listen(on: SocketAddress(host: .v4(0x7F00_0001), port: 0), sharesPort: true))
    let address = try #require(Socket.localAddress(of: listener.descriptor))
    client = Stream(try Socket.connect(to: address))
    client.wait(POLLOUT)
    listener.wait(POLLIN)
    guard case .connection(let descriptor, let peer) = Socket.accept(from: listener.descriptor) else {
      throw SystemError(call: "accept", number: errno)
    }
    #expect(peer == Socket.localAddress(of: client.descriptor))
    accepted = Stream(descriptor)
  }
}

private final class Stream {
  let descriptor: Int32
  private var isOpen = true

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { if isOpen { Socket.close(descriptor) } }

  func send(_ text: String) -> Transfer { Socket.send(descriptor, Array(text.utf8).span) }

  func send(_ first: String, _ second: String) -> Transfer {
    Socket.send(descriptor, Array(first.utf8).span, Array(second.utf8).span)
  }

  /// Reads once, and drops what came.
  func take() -> Transfer {
    var block = ByteBlock()
    return Socket.receive(descriptor, into: &block)
  }

  func receive() throws -> String {
    wait(POLLIN)
    var block = ByteBlock()
    guard case .moved = Socket.receive(descriptor, into: &block) else {
      throw SystemError(call: "recv", number: errno)
    }
    var bytes: [UInt8] = []
    for index in block.bytes.indices { bytes.append(block.bytes[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }

  func wait(_ events: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    _ = unsafe poll(&entry, 1, 5_000)
  }

  /// Ends the connection with RST.
  func reset() {
    var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    Socket.close(descriptor)
    isOpen = false
  }
}
