import GatewayBase

/// What a machine keeps of one stream, reached from nghttp2's own record of it.
@safe struct HTTP2StreamRecord {
  let id: HTTP2StreamID
  /// A word of the owner's.
  var tag: UInt64 = 0
  /// Whether the owner knows of the stream, and so hears of its end.
  var isKnown = false
  /// Whether the final head has come: what follows is body and trailers.
  var hasHead = false
  /// Whether the peer has ended its direction.
  var hasEnded = false
  /// Whether nothing more of what comes is of use: it was refused, or is about to be reset.
  var isDiscarding = false
  /// Whether its message is malformed, which is then the reason of its end.
  var hasFailed = false
  /// Whether `fill` had nothing to give.
  var isWaiting = false
  /// Whether the owner reset it, so that this counts against nobody.
  var wasResetByOwner = false
  /// Egress: whether the answer has no body whatever its head says (RFC 9110 section 9.3.2).
  var isForHead = false
  /// Bytes of the body that are still to come; nil where its length is not known.
  var remaining: UInt64?
  /// Bytes that the owner has got and not credited.
  var uncredited = 0
  var next: UnsafeMutablePointer<HTTP2StreamRecord>?
  var previous: UnsafeMutablePointer<HTTP2StreamRecord>?

  init(_ id: HTTP2StreamID) { self.id = id }

  /// Takes `count` bytes off what is still to come: false where the body is longer than its length
  /// (RFC 9113 section 8.1.1).
  mutating func bodyCame(_ count: Int) -> Bool {
    guard let rest = remaining else { return true }
    guard UInt64(count) <= rest else { return false }
    remaining = rest - UInt64(count)
    return true
  }
}

/// The records of one machine, as a list at fixed addresses.
@safe struct HTTP2StreamList: ~Copyable {
  typealias Record = UnsafeMutablePointer<HTTP2StreamRecord>

  private(set) var first: Record?
  private(set) var count = 0

  init() {}

  deinit {
    var record = unsafe first
    while let current = unsafe record {
      unsafe record = unsafe current.pointee.next
      unsafe current.deinitialize(count: 1)
      unsafe current.deallocate()
    }
  }

  mutating func add(_ stream: HTTP2StreamRecord) -> Record {
    let record = Record.allocate(capacity: 1)
    unsafe record.initialize(to: stream)
    unsafe record.pointee.next = unsafe first
    unsafe first?.pointee.previous = unsafe record
    unsafe first = unsafe record
    count += 1
    return unsafe record
  }

  func find(_ id: HTTP2StreamID) -> Record? {
    var record = unsafe first
    while let current = unsafe record, unsafe current.pointee.id != id {
      unsafe record = unsafe current.pointee.next
    }
    return unsafe record
  }

  mutating func remove(_ record: Record) {
    let next = unsafe record.pointee.next
    let previous = unsafe record.pointee.previous
    unsafe next?.pointee.previous = unsafe previous
    if let previous = unsafe previous {
      unsafe previous.pointee.next = unsafe next
    } else {
      unsafe first = unsafe next
    }
    count -= 1
    unsafe record.deinitialize(count: 1)
    unsafe record.deallocate()
  }
}
