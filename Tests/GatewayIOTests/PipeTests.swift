import GatewayBase
import GatewayTesting
import Glibc
import Testing

@testable import GatewayIO

@Suite struct PipeTests {
  @Test("Bytes pass from one socket to another, no more than asked for")
  func transfer() throws {
    var pool = PipePool(limit: 1)
    let source = try SocketPair()
    let target = try SocketPair()
    source.write("to be passed, and a rest")
    guard var pipe = pool.take() else { throw TestFailure("no pipe was lent") }
    #expect(pipe.fill(from: source.output, limit: 12) == .moved(12))
    #expect(pipe.count == 12)
    #expect(pipe.drain(to: target.input) == .moved(12))
    #expect(pipe.isEmpty == true)
    #expect(target.read() == "to be passed")
    #expect(pipe.fill(from: source.output, limit: 100) == .moved(12))
    #expect(pipe.drain(to: target.input) == .moved(12))
    pool.give(pipe)
  }

  @Test("A socket without bytes has nothing now, and one that has ended has an end")
  func noBytes() throws {
    var pool = PipePool(limit: 1)
    let source = try SocketPair()
    guard var pipe = pool.take() else { throw TestFailure("no pipe was lent") }
    #expect(pipe.fill(from: source.output, limit: 1) == .wouldBlock)
    #expect(Socket.isDrained(source.output))
    Socket.finishSending(source.input)
    #expect(pipe.fill(from: source.output, limit: 1) == .ended)
    #expect(!Socket.isDrained(source.output))
  }

  @Test("What is no socket is told apart, so that bytes can be copied instead")
  func unsuitable() throws {
    var pool = PipePool(limit: 1)
    let folder = unsafe open("/", O_RDONLY | O_CLOEXEC)
    defer { Socket.close(folder) }
    guard var pipe = pool.take() else { throw TestFailure("no pipe was lent") }
    #expect(pipe.fill(from: folder, limit: 1) == .failed(Pipe.unsuitable))
  }

  @Test("A pipe that is given back with bytes in it is never lent again")
  func leftovers() throws {
    var pool = PipePool(limit: 1)
    let source = try SocketPair()
    let target = try SocketPair()
    source.write("somebody's secret")
    guard var first = pool.take() else { throw TestFailure("no pipe was lent") }
    #expect(first.fill(from: source.output, limit: 100) == .moved(17))
    pool.give(first)
    source.write("x")
    guard var second = pool.take() else { throw TestFailure("no pipe was lent") }
    #expect(second.fill(from: source.output, limit: 100) == .moved(1))
    #expect(second.drain(to: target.input) == .moved(1))
    #expect(target.read() == "x")
    pool.give(second)
  }

  @Test("No more pipes are out than the limit says, and one that comes back makes room")
  func limit() throws {
    var pool = PipePool(limit: 2)
    guard let first = pool.take() else { throw TestFailure("no pipe was lent") }
    guard let second = pool.take() else { throw TestFailure("no pipe was lent") }
    #expect(pool.isExhausted == true)
    pool.give(first)
    #expect(pool.isExhausted == false)
    pool.give(second)
  }
}

extension PipePool {
  /// Whether nothing can be taken now.
  fileprivate var isExhausted: Bool {
    mutating get {
      guard let pipe = take() else { return true }
      give(pipe)
      return false
    }
  }
}

/// Two ends of a stream: what is written to `input` is read from `output`.
private final class SocketPair {
  let input: Int32
  let output: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
      throw SystemError(call: "socketpair", number: errno)
    }
    (input, output) = (ends[0], ends[1])
  }

  deinit {
    Socket.close(input)
    Socket.close(output)
  }

  func write(_ text: String) { _ = Socket.send(input, Array(text.utf8).span) }

  func read() -> String {
    var block = ByteBlock()
    guard case .moved = Socket.receive(output, into: &block) else { return "" }
    var bytes: [UInt8] = []
    for index in block.bytes.indices { bytes.append(block.bytes[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
