/// Whether a head has arrived.
package enum HeadScan: Sendable, Equatable {
  case incomplete
  /// The head, with the empty line that ends it, is the first `count` bytes.
  case complete(count: Int)
  /// No continuation of these bytes is a head: a bare CR, a bare LF, another control character, or no first line.
  case malformed
}

/// Finds the end of a head while its bytes arrive, reading each once.
///
/// It also sees at once what no head may hold, so that nobody waits for the time limit of a head that can't come
/// to a good end. The owner bounds the bytes: the scanner keeps none and has no limit of its own.
package struct HeadScanner: Sendable {
  private var next = 0
  private var lineStart = 0
  private var skippedEmptyLine = false

  package init() {}

  /// - Parameter bytes: all that was received of this head so far, from its first byte.
  package mutating func scan(_ bytes: Span<UInt8>) -> HeadScan {
    while next < bytes.count {
      let position = bytes.firstPosition(from: next) { ByteWord.below(0x20, $0) }
      next = position
      guard position < bytes.count else { return .incomplete }
      if bytes[position] == ByteClass.tab {
        next = position &+ 1
        continue
      }
      guard bytes[position] == ByteClass.carriageReturn else { return .malformed }
      guard position &+ 1 < bytes.count else { return .incomplete }
      guard bytes[position &+ 1] == ByteClass.lineFeed else { return .malformed }
      next = position &+ 2
      if position == lineStart {
        if let result = emptyLine(at: position) { return result }
      }
      lineStart = next
    }
    return .incomplete
  }

  /// One empty line before the first line is skipped (RFC 9112 section 2.2); any other ends the head.
  private mutating func emptyLine(at position: Int) -> HeadScan? {
    if position == 0 {
      skippedEmptyLine = true
      return nil
    }
    return position == 2 && skippedEmptyLine ? .malformed : .complete(count: position + 2)
  }
}
