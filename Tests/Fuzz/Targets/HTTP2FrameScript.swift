/// Turns short records into frames, so that a random change of a record leaves its frame's length right.
///
/// A record is type, flags, stream, length and as many bytes of payload as there are. The type 0x40 copies its payload
/// as it is, without a frame around it.
struct HTTP2FrameScript {
  private(set) var wire: [UInt8] = []

  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// What comes before the records.
  enum Greeting {
    case none
    /// The preface and empty SETTINGS.
    case client
    /// Empty SETTINGS.
    case backend
  }

  init(_ records: ArraySlice<UInt8>, greeting: Greeting) {
    if greeting == .client { wire = Self.preface }
    if greeting != .none { appendFrame(type: 4, flags: 0, stream: 0, []) }
    var rest = records
    while rest.count >= 4 {
      let head = Array(rest.prefix(4))
      rest = rest.dropFirst(4)
      let payload = rest.prefix(Int(head[3]))
      rest = rest.dropFirst(payload.count)
      if head[0] == 0x40 {
        wire += payload
      } else {
        appendFrame(type: head[0], flags: head[1], stream: head[2], payload)
      }
    }
  }

  private mutating func appendFrame(type: UInt8, flags: UInt8, stream: UInt8, _ payload: ArraySlice<UInt8>) {
    wire += [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, stream]
    wire += payload
  }
}

/// What the frames of a machine's output must be, one after the other (RFC 9113 section 4).
struct HTTP2OutputReader {
  private var rest: [UInt8] = []
  private var prefaceLeft: Int
  private var ended: Set<Int> = []

  init(hasPreface: Bool) { prefaceLeft = hasPreface ? 24 : 0 }

  mutating func take(_ bytes: [UInt8]) throws(BrokenProperty) {
    rest += bytes.dropFirst(prefaceLeft)
    prefaceLeft -= min(prefaceLeft, bytes.count)
    var start = 0
    while rest.count - start >= 9 {
      let head = Array(rest[start..<(start + 9)])
      let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      try expect(count <= 16_384, "no frame is larger than the default limit")
      guard rest.count - start >= 9 + count else { break }
      try check(type: head[3], flags: head[4], stream: Int(head[7]) << 8 | Int(head[8]))
      start += 9 + count
    }
    rest.removeFirst(start)
  }

  /// Whether the last frame is whole.
  var isAtFrameEnd: Bool { rest.isEmpty }

  private mutating func check(type: UInt8, flags: UInt8, stream: Int) throws(BrokenProperty) {
    switch type {
    case 0, 1:
      try expect(stream > 0 && !ended.contains(stream), "nothing follows the end of a stream")
      if flags & 1 != 0 { ended.insert(stream) }
    case 3: ended.insert(stream)
    case 4, 6, 7: try expect(stream == 0, "a frame of the connection has no stream")
    case 8, 9: break
    default: throw BrokenProperty(description: "a machine sends no frame of type \(type)")
    }
  }
}
