import GatewayBase

/// Where frames are written while output is taken.
@safe struct HTTP2Output {
  /// Bytes of a frame's header (RFC 9113 section 4.1).
  static let frameHeader = 9

  private var base: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private(set) var count = 0
  /// Bytes that `fill` has put behind the room for their frame's header.
  private var pending = 0
  /// A frame of nghttp2's that had no room as a whole; its memory is valid until the next one is asked for.
  private var rest: UnsafePointer<UInt8>?
  private var restCount = 0
  /// Whether a frame with data was held back for want of room.
  var wasHeldBack = false

  init() {}

  var hasRest: Bool { restCount > 0 }
  var room: Int { capacity - count }

  mutating func open(_ base: UnsafeMutablePointer<UInt8>?, capacity: Int) {
    unsafe self.base = unsafe base
    self.capacity = unsafe base == nil ? 0 : capacity
    count = 0
    wasHeldBack = false
  }

  mutating func close() {
    unsafe base = nil
    capacity = 0
    count = 0
  }

  /// Takes over a frame that nghttp2 has made.
  mutating func put(_ frame: UnsafePointer<UInt8>?, _ frameCount: Int) {
    unsafe rest = unsafe frame
    restCount = frameCount
    flushRest()
  }

  /// Writes what was left over, as far as there is room.
  mutating func flushRest() {
    let written = min(restCount, room)
    guard written > 0, let base = unsafe base, let source = unsafe rest else { return }
    unsafe (base + count).update(from: source, count: written)
    count += written
    restCount -= written
    unsafe rest = unsafe source + written
  }

  /// Room for the data of a frame, behind its header; nil where that would be too little to begin one.
  mutating func sink(upTo limit: Int) -> HTTP2Sink? {
    let free = room - Self.frameHeader
    guard let base = unsafe base, free >= min(limit, Limits.http2LeastRoom - Self.frameHeader) else { return nil }
    return unsafe HTTP2Sink(base + count + Self.frameHeader, capacity: min(limit, free))
  }

  mutating func dataWasFilled(_ filled: Int) { pending = filled }

  /// Puts the header in front of the data that was filled in: false where they do not belong together.
  mutating func completeData(_ header: UnsafePointer<UInt8>, _ dataCount: Int) -> Bool {
    guard let base = unsafe base, dataCount == pending, dataCount + Self.frameHeader <= room else { return false }
    unsafe (base + count).update(from: header, count: Self.frameHeader)
    count += Self.frameHeader + dataCount
    pending = 0
    return true
  }
}
