import GatewayBase
import Glibc

/// A fixed block of bytes between `start` (consumed so far) and `end` (filled so far).
///
/// Blocks come from a `BlockPool` and go back to it; one that is dropped instead is unmapped. A connection holds
/// one only while bytes are on their way, so an idle connection costs none.
@frozen @safe public struct ByteBlock: ~Copyable {
  /// The address as a number, so that an optional block keeps a tag of its own. With a pointer here, `nil` is told by
  /// a null pointer, and Swift 6.3 then looks at the other fields too: a block that `take()` took away still seems to
  /// be there for `block?.count`.
  @usableFromInline let address: UInt
  @usableFromInline var start = 0
  @usableFromInline var end = 0

  /// Bytes that a block holds at most.
  public static var capacity: Int { Limits.block }

  @usableFromInline init() {
    let memory = unsafe mmap(nil, Self.capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { fatalError("out of memory for I/O blocks") }
    address = UInt(bitPattern: memory)
  }

  @inlinable init(recycling address: UInt) { self.address = address }

  /// Never null: mapped by the one initialiser, or handed on by it.
  @inlinable var base: UnsafeMutablePointer<UInt8> {
    unsafe UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
  }

  deinit { unsafe munmap(base, Self.capacity) }

  /// Ends the life of the value without unmapping its memory.
  @inlinable consuming func intoAddress() -> UInt {
    let address = address
    discard self
    return address
  }

  /// Bytes filled and not consumed.
  @inlinable public var count: Int { end - start }
  /// Whether there are no bytes to read.
  @inlinable public var isEmpty: Bool { end == start }
  /// Bytes that can still be appended.
  @inlinable public var room: Int { Limits.block - end }

  /// The bytes filled and not consumed.
  @inlinable public var bytes: Span<UInt8> {
    @_lifetime(borrow self) borrowing get {
      let span = unsafe Span(_unsafeStart: base + start, count: end - start)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Marks the first `count` bytes as consumed; an empty block starts over at its beginning.
  @inlinable public mutating func consume(_ count: Int) {
    precondition(count >= 0 && count <= end - start)
    start += count
    if start == end {
      start = 0
      end = 0
    }
  }

  /// The same, but the bytes stay where they are, so that `rewind` can bring them back.
  @inlinable public mutating func consumeKeeping(_ count: Int) {
    precondition(count >= 0 && count <= end - start)
    start += count
  }

  /// Leaves room in front of the bytes that are to come, for `prepend`. The block must be empty.
  @inlinable public mutating func leaveRoomInFront(_ count: Int) {
    precondition(isEmpty && count >= 0 && count <= Limits.block)
    start = count
    end = count
  }

  /// Puts bytes in front of those that are there.
  ///
  /// - Returns: false where there is no room in front; nothing is changed then.
  @inlinable public mutating func prepend(_ bytes: Span<UInt8>) -> Bool {
    let count = bytes.count
    guard count <= start else { return false }
    start -= count
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress else { return }
      unsafe (base + start).update(from: address, count: count)
    }
    return true
  }

  /// Takes back the last `count` bytes that were appended.
  @inlinable public mutating func drop(last count: Int) {
    precondition(count >= 0 && count <= end - start)
    end -= count
  }

  /// Forgets all bytes.
  @inlinable public mutating func clear() {
    start = 0
    end = 0
  }

  /// Makes bytes readable again that `consumeKeeping` took away.
  @inlinable public mutating func rewind(by count: Int) {
    precondition(count >= 0 && count <= start)
    start -= count
  }

  /// Moves the unconsumed bytes to the beginning, to make room behind them.
  public mutating func compact() {
    guard start > 0 else { return }
    unsafe memmove(base, base + start, end - start)
    end -= start
    start = 0
  }

  /// Memory to be filled by a read, which `filled` then takes into account.
  @inlinable var tail: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: base + end, count: Limits.block - end)
  }

  /// Lets `body` write behind the block's bytes.
  ///
  /// - Parameter body: gets all the room and returns how many bytes it has written there, from the first on.
  package mutating func fill(_ body: (inout MutableSpan<UInt8>) -> Int) {
    let memory = unsafe UnsafeMutableBufferPointer(start: base + end, count: room)
    var span = unsafe MutableSpan(_unsafeElements: memory)
    filled(body(&span))
  }

  @inlinable mutating func filled(_ count: Int) {
    precondition(count >= 0 && count <= Limits.block - end)
    end += count
  }
}

// Appending. Each traps where there is no room: callers ask `room` first, or stay within a named limit.
extension ByteBlock {
  /// Appends one byte.
  @inlinable public mutating func append(_ byte: UInt8) {
    precondition(end < Limits.block)
    unsafe base[end] = byte
    end += 1
  }

  /// Appends a run of bytes.
  @inlinable @inline(__always) public mutating func append(_ bytes: Span<UInt8>) {
    let count = bytes.count
    precondition(count <= Limits.block - end)
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress else { return }
      unsafe (base + end).update(from: address, count: count)
    }
    end += count
  }

  /// Appends bytes.
  @inlinable public mutating func append(_ bytes: [UInt8]) { append(bytes.span) }

  /// Appends ASCII text. Inlined, so that a short one is a few stores.
  @inlinable @inline(__always) public mutating func append(_ text: StaticString) {
    let count = text.utf8CodeUnitCount
    precondition(count <= Limits.block - end)
    unsafe (base + end).update(from: text.utf8Start, count: count)
    end += count
  }

  /// Appends a number in decimal.
  @inlinable public mutating func append(decimal value: UInt64) {
    var rest = value
    var count = 1
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    precondition(count <= Limits.block - end)
    rest = value
    var position = end + count
    repeat {
      position -= 1
      unsafe base[position] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    end += count
  }

  /// Appends a number as 16 lower-case hexadecimal digits.
  @inlinable public mutating func append(hex16 value: UInt64) {
    precondition(16 <= Limits.block - end)
    unsafe UnsafeMutableRawPointer(base + end).storeBytes(
      of: HexDigits.eight(UInt32(truncatingIfNeeded: value >> 32)), as: UInt64.self)
    unsafe UnsafeMutableRawPointer(base + end + 8).storeBytes(
      of: HexDigits.eight(UInt32(truncatingIfNeeded: value)), as: UInt64.self)
    end += 16
  }

  /// Appends a number in lower-case hexadecimal without leading zeros.
  @inlinable public mutating func append(hex value: UInt64) {
    var shift = max(4, (64 - value.leadingZeroBitCount + 3) / 4 * 4)
    precondition(shift / 4 <= Limits.block - end)
    while shift > 0 {
      shift -= 4
      let digit = UInt8(truncatingIfNeeded: value >> UInt64(shift) & 0xF)
      unsafe base[end] = digit < 10 ? 0x30 + digit : 0x57 + digit
      end += 1
    }
  }
}

/// Hexadecimal digits without a loop.
@usableFromInline enum HexDigits {
  /// The eight lower-case digits of a number, the first in the lowest byte.
  @inlinable static func eight(_ value: UInt32) -> UInt64 {
    // One nibble a byte, the highest nibble in the lowest byte.
    var nibbles = UInt64(value.byteSwapped)
    nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
    nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles >> 4 & 0x000F_000F_000F_000F) | (nibbles & 0x000F_000F_000F_000F) << 8
    // Bytes of ten and more carry into bit 4 when six is added: they become letters.
    let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
  }
}
