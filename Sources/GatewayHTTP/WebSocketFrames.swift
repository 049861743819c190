/// Follows the frames of one direction of a WebSocket (RFC 6455 section 5.2), so that a frame of the gateway's own can
/// be put between two of the backend's.
package struct WebSocketFrames: Equatable, Sendable {
  /// Bytes of the present frame's head that have come.
  private var headCount = 0
  /// Bytes that its head has, as far as is known.
  private var headLength = 2
  private var payload: UInt64 = 0

  package init() {}

  /// Whether the last frame is whole and no byte of another has come.
  package var isBetweenFrames: Bool { headCount == 0 }

  /// Takes in bytes that pass.
  package mutating func pass(_ bytes: Span<UInt8>) { _ = advance(over: bytes, stopping: false) }

  /// How many of `bytes` belong to the frame that has begun; they are not taken in yet.
  package func rest(in bytes: Span<UInt8>) -> Int {
    var copy = self
    return copy.isBetweenFrames ? 0 : copy.advance(over: bytes, stopping: true)
  }

  /// Bytes walked over: all, or those up to the end of a frame.
  private mutating func advance(over bytes: Span<UInt8>, stopping: Bool) -> Int {
    var position = 0
    while position < bytes.count {
      if headCount < headLength {
        takeHead(bytes[position])
        position += 1
      } else {
        let run = min(UInt64(bytes.count - position), payload)
        payload -= run
        position += Int(run)
      }
      if headCount == headLength && payload == 0 {
        self = WebSocketFrames()
        if stopping { break }
      }
    }
    return position
  }

  private mutating func takeHead(_ byte: UInt8) {
    switch headCount {
    case 0: break
    case 1:
      let length = byte & 0x7F
      if length < 126 { payload = UInt64(length) }
      headLength = 2 + (length == 126 ? 2 : length == 127 ? 8 : 0) + (byte & 0x80 != 0 ? 4 : 0)
      extended = length == 126 ? 4 : length == 127 ? 10 : 2
    case 2..<extended: payload = payload << 8 | UInt64(byte)
    default: break  // the mask
    }
    headCount += 1
  }

  /// Where the bytes of an extended length end in the head.
  private var extended = 2

  /// A close frame of a server (RFC 6455 section 5.5.1).
  ///
  /// - Parameters:
  ///   - code: why (RFC 6455 section 7.4.1).
  ///   - reason: ASCII, at most 123 bytes.
  package static func close(_ code: UInt16, _ reason: StaticString) -> [UInt8] {
    precondition(reason.utf8CodeUnitCount <= 123)
    var frame: [UInt8] = [0x88, UInt8(2 + reason.utf8CodeUnitCount), UInt8(code >> 8), UInt8(code & 0xFF)]
    frame += Array("\(reason)".utf8)
    return frame
  }
}
