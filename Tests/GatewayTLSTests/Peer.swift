import GatewayBase
import GatewayIO
import GatewayTLS
import Glibc

/// One end of a connection: a wire, and what it needs of a loop.
final class Peer {
  private var wire: Wire
  private let blocks = BlockPool(kept: 4)
  private var isOpen = true

  /// The accepting end.
  init(_ descriptor: Int32, accepting context: TLSContext, _ buffers: TLSBuffers) throws {
    guard let session = context.session(buffers) else { throw Unusable() }
    wire = Wire(descriptor: descriptor, session: session)
  }

  /// The connecting end.
  init(_ descriptor: Int32, to host: URLHost, _ context: TLSClientContext, _ buffers: TLSBuffers) throws {
    guard let session = context.session(to: host, buffers) else { throw Unusable() }
    wire = Wire(descriptor: descriptor, session: session)
  }

  init(plain descriptor: Int32) { wire = Wire(descriptor: descriptor) }

  deinit { close() }

  func close() {
    if isOpen { wire.close() }
    isOpen = false
  }

  var descriptor: Int32 { wire.descriptor }
  var isTLS: Bool { wire.isTLS }
  var isCommitted: Bool { wire.isCommitted }
  var wasTruncated: Bool { wire.wasTruncated }
  var wasResumed: Bool { wire.wasResumed }

  func mayHaveMore(after count: Int, of room: Int) -> Bool { wire.mayHaveMore(after: count, of: room) }

  func finishSending() { wire.finishSending() }

  func handshake() -> Handshake { wire.handshake() }

  /// Sends once.
  func send(_ bytes: [UInt8]) -> Transfer { wire.send(bytes.span) }

  func send(_ text: String) -> Transfer { send(Array(text.utf8)) }

  func send(_ first: [UInt8], _ second: [UInt8]) -> Transfer { wire.send(first.span, second.span) }

  /// Reads once, into an empty block with `room` bytes of room.
  func read(room: Int = ByteBlock.capacity) -> (result: Transfer, bytes: [UInt8]) {
    var block = blocks.take()
    let filler = ByteBlock.capacity - room
    block.append([UInt8](repeating: 0, count: filler))
    let result = wire.receive(into: &block)
    var bytes: [UInt8] = []
    for index in filler..<max(filler, block.count) { bytes.append(block.bytes[index]) }
    blocks.give(block)
    return (result, bytes)
  }

  /// Reads all that is there now.
  func readAll() -> [UInt8] {
    var bytes: [UInt8] = []
    while case let (result, piece) = read(), case .moved = result { bytes += piece }
    return bytes
  }

  var text: String { String(decoding: readAll(), as: UTF8.self) }
}

/// Two ends of one connection within the process.
struct Pair {
  let listener: Peer
  let client: Peer
  let buffers: TLSBuffers

  /// - Parameter sendBuffer: bytes of the kernel's send buffers; nil is the kernel's choice.
  init(
    _ context: TLSContext, _ client: TLSClientContext, host: URLHost, sendBuffer: Int32? = nil,
    buffers: TLSBuffers = TLSBuffers()
  ) throws {
    let ends = try Self.sockets(sendBuffer: sendBuffer)
    self.buffers = buffers
    listener = try Peer(ends.0, accepting: context, buffers)
    self.client = try Peer(ends.1, to: host, client, buffers)
  }

  static func sockets(sendBuffer: Int32? = nil) throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Unusable() }
    if var size = sendBuffer {
      for end in ends {
        unsafe setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      }
    }
    return (ends[0], ends[1])
  }

  /// Takes both handshakes to their ends.
  func shake() -> (listener: Handshake, client: Handshake) {
    var (here, there) = (Handshake.needsMore, Handshake.needsMore)
    for _ in 0..<20 {
      if there == .needsMore { there = client.handshake() }
      if here == .needsMore { here = listener.handshake() }
      if here != .needsMore, there != .needsMore { break }
    }
    return (here, there)
  }
}

struct Unusable: Error {}
