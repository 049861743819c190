import CNghttp2
import GatewayBase

/// Scratch memory of one loop for the heads of its HTTP/2 connections: a connection holds some only between the
/// first and the last frame of a head.
@safe package final class HTTP2Buffers {
  private var free: [HeadBuffer] = []
  /// Fields on their way into a frame.
  var fields: [nghttp2_nv] = unsafe []

  package init() {}

  func take() -> HeadBuffer { free.popLast() ?? HeadBuffer() }

  func give(_ buffer: HeadBuffer) {
    guard free.count < Limits.http2KeptHeads else { return }
    buffer.count = 0
    free.append(buffer)
  }
}

/// A fixed run of memory that a head is written into.
@safe final class HeadBuffer {
  private let base: UnsafeMutablePointer<UInt8>
  fileprivate(set) var count = 0

  init() { unsafe base = .allocate(capacity: Limits.http2HeadBuffer) }

  deinit { unsafe base.deallocate() }

  /// Bytes that can still be appended.
  var room: Int { Limits.http2HeadBuffer - count }

  /// Appends all of `bytes`, or nothing where there is no room.
  func append(_ bytes: Span<UInt8>) -> Bool {
    let added = bytes.count
    guard added <= room else { return false }
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress else { return }
      unsafe (base + count).update(from: address, count: added)
    }
    count += added
    return true
  }

  func append(_ text: StaticString) -> Bool {
    let added = text.utf8CodeUnitCount
    guard added <= room else { return false }
    unsafe (base + count).update(from: text.utf8Start, count: added)
    count += added
    return true
  }

  /// The bytes in a range; those of it that there are not are left out.
  @_lifetime(borrow self)
  func bytes(_ range: Range<Int>) -> Span<UInt8> {
    let range = range.clamped(to: 0..<count)
    let span = unsafe Span(_unsafeStart: base + range.lowerBound, count: range.count)
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// Appends a copy of a part of what is there.
  func appendCopy(_ range: Range<Int>) -> Bool {
    let range = range.clamped(to: 0..<count)
    guard range.count <= room else { return false }
    unsafe (base + count).update(from: base + range.lowerBound, count: range.count)
    count += range.count
    return true
  }
}
