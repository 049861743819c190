import GatewayBase
import Glibc
import Testing

@testable import GatewayHTTP

@Suite struct HTTP2MemoryTests {
  @Test("A piece that came back is the next of its size, and is zeroed where that is asked for")
  func reuse() {
    let caller = Caller()
    let first = caller.take(100)
    first.fill(7, count: 100)
    caller.give(first)
    #expect(caller.take(300) != first)
    let second = caller.takeZeroed(128)
    #expect(second == first)
    #expect(second.holds(0, count: 128))
    #expect(second.address % 16 == 0)
    #expect(caller.take(128) != second)
  }

  @Test("A piece keeps its bytes when it grows, across all sizes", arguments: [1, 64, 65, 1000, 1024, 1025, 5000])
  func growth(size: Int) {
    let caller = Caller()
    var piece = caller.resize(Piece(address: 0), size)
    var count = size
    piece.fill(7, count: count)
    for larger in [size + 1, size + 200, size * 3 + 4000] {
      piece = caller.resize(piece, larger)
      #expect(piece.holds(7, count: count))
      count = larger
      piece.fill(7, count: count)
    }
    caller.give(piece)
    caller.give(Piece(address: 0))
  }

  @Test("No more than the limit is kept of a size, and nothing that is large")
  func bound() {
    let caller = Caller()
    let pieces = (0..<Limits.http2KeptPieces + 10).map { _ in caller.take(10) }
    for piece in pieces { caller.give(piece) }
    #expect(caller.memory.kept == Limits.http2KeptPieces)
    caller.give(caller.take(100_000))
    #expect(caller.memory.kept == Limits.http2KeptPieces)
  }

  @Test("What can't be counted is refused")
  func overflow() {
    let caller = Caller()
    #expect(caller.takeZeroed(.max, each: 2).address == 0)
    for size in [Int.max, -1] { #expect(caller.take(size).address == 0) }
    let large = caller.take(5000)
    #expect(caller.resize(large, .max).address == 0)
    caller.give(large)
  }
}

/// A piece by the number of its address; 0 for none.
private struct Piece: Equatable {
  let address: Int

  private var pointer: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: address) }

  func fill(_ byte: UInt8, count: Int) {
    if let pointer = unsafe pointer { unsafe memset(pointer, Int32(byte), count) }
  }

  func holds(_ byte: UInt8, count: Int) -> Bool {
    unsafe UnsafeRawBufferPointer(start: pointer, count: count).allSatisfy { $0 == byte }
  }
}

/// A memory that is asked by its functions, as nghttp2 does.
private final class Caller {
  let memory = HTTP2Memory()

  private func pointer(_ piece: Piece) -> UnsafeMutableRawPointer? {
    unsafe UnsafeMutableRawPointer(bitPattern: piece.address)
  }

  func take(_ size: Int) -> Piece {
    let functions = unsafe memory.functions
    return unsafe Piece(address: Int(bitPattern: functions.malloc(size, functions.mem_user_data)))
  }

  func takeZeroed(_ count: Int, each size: Int = 1) -> Piece {
    let functions = unsafe memory.functions
    return unsafe Piece(address: Int(bitPattern: functions.calloc(count, size, functions.mem_user_data)))
  }

  func resize(_ piece: Piece, _ size: Int) -> Piece {
    let functions = unsafe memory.functions
    return unsafe Piece(address: Int(bitPattern: functions.realloc(pointer(piece), size, functions.mem_user_data)))
  }

  func give(_ piece: Piece) {
    let functions = unsafe memory.functions
    unsafe functions.free(pointer(piece), functions.mem_user_data)
  }
}
