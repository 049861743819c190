import CNghttp2
import GatewayBase
import Glibc

/// Memory of one loop for its HTTP/2 connections. nghttp2 asks for dozens of small pieces a request and soon gives them
/// back, so these are kept by size, last in first out, for the next to take.
///
/// Not shared: only the loop's thread touches it. It must outlive the sessions that were made with it.
@safe struct HTTP2Memory: ~Copyable {
  /// What stands in front of each piece, as long as the alignment that malloc promises.
  @safe private struct Header {
    /// The piece's size in steps; 0 for one that is too large to be kept.
    var steps: Int
    /// While it is kept: the one that was given back before.
    var next: Piece?
  }

  /// The pieces of one size that are kept.
  @safe private struct List {
    var first: Piece?
    var count = 0
  }

  private typealias Piece = UnsafeMutablePointer<Header>
  private typealias Lists = UnsafeMutablePointer<List>

  /// Bytes by which sizes differ.
  private static let step = 64
  /// Larger pieces than so many steps are not kept: they are of a connection, not of a request.
  private static let mostSteps = 16
  /// Bytes of the largest piece: with what stands in front it can still be counted.
  private static let most = Int.max - MemoryLayout<Header>.size

  private let lists: Lists

  init() {
    unsafe lists = .allocate(capacity: Self.mostSteps + 1)
    unsafe lists.initialize(repeating: List(), count: Self.mostSteps + 1)
  }

  deinit {
    for steps in 0...Self.mostSteps {
      while let piece = unsafe lists[steps].first {
        unsafe lists[steps].first = unsafe piece.pointee.next
        unsafe Glibc.free(piece)
      }
    }
    unsafe lists.deallocate()
  }

  /// The functions that a session is made with.
  var functions: nghttp2_mem {
    unsafe nghttp2_mem(
      mem_user_data: lists, malloc: Self.onMalloc, free: Self.onFree, calloc: Self.onCalloc, realloc: Self.onRealloc)
  }

  /// Pieces that are kept.
  var kept: Int {
    var count = 0
    for steps in 0...Self.mostSteps { unsafe count += lists[steps].count }
    return count
  }

  private static let onMalloc: nghttp2_malloc = { size, lists in
    unsafe HTTP2Memory.take(size, HTTP2Memory.lists(lists))
  }

  private static let onFree: nghttp2_free = { bytes, lists in
    unsafe HTTP2Memory.give(bytes, HTTP2Memory.lists(lists))
  }

  private static let onCalloc: nghttp2_calloc = { count, size, lists in
    let (total, isTooLarge) = count.multipliedReportingOverflow(by: size)
    guard !isTooLarge, let bytes = unsafe HTTP2Memory.take(total, HTTP2Memory.lists(lists)) else { return nil }
    return unsafe memset(bytes, 0, total)
  }

  private static let onRealloc: nghttp2_realloc = { bytes, size, lists in
    guard let bytes = unsafe bytes else { return unsafe HTTP2Memory.take(size, HTTP2Memory.lists(lists)) }
    let piece = unsafe HTTP2Memory.piece(of: bytes)
    let held = unsafe piece.pointee.steps * HTTP2Memory.step
    if held == 0 {
      // It stays one of the large: what it held is not known here.
      guard size <= HTTP2Memory.most else { return nil }
      return unsafe Glibc.realloc(piece, MemoryLayout<Header>.size + size).map { unsafe $0 + MemoryLayout<Header>.size }
    }
    if size <= held { return unsafe bytes }
    guard let larger = unsafe HTTP2Memory.take(size, HTTP2Memory.lists(lists)) else { return nil }
    unsafe memcpy(larger, bytes, held)
    unsafe HTTP2Memory.give(bytes, HTTP2Memory.lists(lists))
    return unsafe larger
  }

  private static func take(_ size: Int, _ lists: Lists) -> UnsafeMutableRawPointer? {
    guard size >= 0, size <= most else { return nil }
    guard size <= mostSteps * step else { return unsafe make(steps: 0, size: size) }
    let steps = max(1, (size + step - 1) / step)
    guard let piece = unsafe lists[steps].first else { return unsafe make(steps: steps, size: steps * step) }
    unsafe lists[steps].first = unsafe piece.pointee.next
    unsafe lists[steps].count -= 1
    return unsafe bytes(of: piece)
  }

  private static func make(steps: Int, size: Int) -> UnsafeMutableRawPointer? {
    guard let memory = unsafe Glibc.malloc(MemoryLayout<Header>.size + size) else { return nil }
    let piece = unsafe memory.bindMemory(to: Header.self, capacity: 1)
    unsafe piece.initialize(to: Header(steps: steps, next: nil))
    return unsafe bytes(of: piece)
  }

  private static func give(_ bytes: UnsafeMutableRawPointer?, _ lists: Lists) {
    guard let bytes = unsafe bytes else { return }
    let piece = unsafe piece(of: bytes)
    let steps = unsafe piece.pointee.steps
    guard steps > 0, unsafe lists[steps].count < Limits.http2KeptPieces else { return unsafe Glibc.free(piece) }
    unsafe piece.pointee.next = unsafe lists[steps].first
    unsafe lists[steps].first = unsafe piece
    unsafe lists[steps].count += 1
  }

  private static func lists(_ context: UnsafeMutableRawPointer?) -> Lists {
    // Never null: given to nghttp2 by `functions`.
    unsafe context.unsafelyUnwrapped.assumingMemoryBound(to: List.self)
  }

  private static func piece(of bytes: UnsafeMutableRawPointer) -> Piece {
    unsafe (bytes - MemoryLayout<Header>.size).assumingMemoryBound(to: Header.self)
  }

  private static func bytes(of piece: Piece) -> UnsafeMutableRawPointer {
    unsafe UnsafeMutableRawPointer(piece) + MemoryLayout<Header>.size
  }
}
