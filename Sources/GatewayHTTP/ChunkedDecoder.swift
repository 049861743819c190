import GatewayBase

/// What to do with the bytes that a chunked decoder was given.
package enum ChunkStep: Sendable, Equatable {
  /// After `skip` bytes of framing come `count` bytes of payload, more than none; all these are consumed.
  case data(skip: Int, count: Int)
  /// All bytes were framing and are consumed.
  case needMore(consumed: Int)
  /// The body has ended after `consumed` bytes; what follows is another message.
  case end(consumed: Int)
  /// No body: the connection can't be used any more.
  case malformed
}

/// Takes the framing off a chunked body (RFC 9112 section 7.1), as its bytes arrive.
///
/// Chunk extensions and trailers are checked and dropped: a trailer that went on could pass for a header.
package struct ChunkedDecoder: Sendable {
  /// Each state is followed by the next one, if its row says nothing else.
  private enum State {
    /// Hex digits; then `extension` or `sizeLineFeed`.
    case size
    case `extension`
    /// Then `data`, or `trailerStart` after the last chunk.
    case sizeLineFeed
    case data
    case dataCarriageReturn
    /// Then `size`.
    case dataLineFeed
    /// Then `trailerName`, or `endLineFeed` on the empty line.
    case trailerStart
    case trailerName
    case trailerValue
    /// Then `trailerStart`.
    case trailerLineFeed
    /// Then `ended`.
    case endLineFeed
    case ended
    case failed
  }

  private var state = State.size
  /// The size while it is read; bytes of the chunk that are still to come after that.
  private var remaining: UInt64 = 0
  private var digits = 0
  /// Bytes of this size line, or of the trailers.
  private var lineCount = 0

  package init() {}

  /// - Parameter bytes: what follows the bytes consumed by the step before.
  package mutating func next(_ bytes: Span<UInt8>) -> ChunkStep {
    var index = 0
    while state != .ended, index < bytes.count {
      if state == .data {
        let count = Int(min(remaining, UInt64(bytes.count - index)))
        remaining -= UInt64(count)
        if remaining == 0 { state = .dataCarriageReturn }
        return .data(skip: index, count: count)
      }
      state = after(bytes[index])
      index += 1
      if state == .failed { return .malformed }
    }
    return state == .ended ? .end(consumed: index) : .needMore(consumed: index)
  }

  private mutating func after(_ byte: UInt8) -> State {
    switch state {
    case .size, .extension, .sizeLineFeed: afterSizeLine(byte)
    case .dataCarriageReturn: byte == ByteClass.carriageReturn ? .dataLineFeed : .failed
    case .dataLineFeed: byte == ByteClass.lineFeed ? startSize() : .failed
    case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .endLineFeed: afterTrailer(byte)
    case .data, .ended, .failed: .failed
    }
  }

  private mutating func startSize() -> State {
    remaining = 0
    digits = 0
    lineCount = 0
    return .size
  }

  private mutating func afterSizeLine(_ byte: UInt8) -> State {
    lineCount += 1
    guard lineCount <= Limits.chunkLine else { return .failed }
    switch (state, byte) {
    case (.size, ByteClass.carriageReturn): return digits > 0 ? .sizeLineFeed : .failed
    case (.size, UInt8(ascii: ";")): return digits > 0 ? .extension : .failed
    case (.size, _):
      guard let digit = Hex.value(of: byte), digits < 16 else { return .failed }
      digits += 1
      remaining = remaining << 4 | UInt64(digit)
      return .size
    case (.extension, ByteClass.carriageReturn): return .sizeLineFeed
    case (.extension, _): return ByteClass.isFieldValue(byte) ? .extension : .failed
    default:
      guard byte == ByteClass.lineFeed else { return .failed }
      lineCount = 0
      return remaining == 0 ? .trailerStart : .data
    }
  }

  private mutating func afterTrailer(_ byte: UInt8) -> State {
    lineCount += 1
    guard lineCount <= Limits.trailers else { return .failed }
    switch (state, byte) {
    case (.trailerStart, ByteClass.carriageReturn): return .endLineFeed
    case (.trailerName, UInt8(ascii: ":")): return .trailerValue
    case (.trailerStart, _), (.trailerName, _): return ByteClass.isToken(byte) ? .trailerName : .failed
    case (.trailerValue, ByteClass.carriageReturn): return .trailerLineFeed
    case (.trailerValue, _): return ByteClass.isFieldValue(byte) ? .trailerValue : .failed
    case (.trailerLineFeed, ByteClass.lineFeed): return .trailerStart
    case (.endLineFeed, ByteClass.lineFeed): return .ended
    default: return .failed
    }
  }
}
