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

  /// A scanner for one head.
  package init() {}

  /// Whether the bytes may go to a parser that finds the head's end itself, instead of being looked through here first:
  /// none was looked at before, and they end in an empty line. So the usual head, which comes alone, is read once.
  package func mayParse(_ bytes: Span<UInt8>) -> Bool {
    let count = bytes.count
    return next == 0 && count >= 4 && bytes[count &- 4] == ByteClass.carriageReturn
      && bytes[count &- 3] == ByteClass.lineFeed && bytes[count &- 2] == ByteClass.carriageReturn
      && bytes[count &- 1] == ByteClass.lineFeed
  }

  /// - Parameter bytes: all that was received of this head so far, from its first byte.
  package mutating func scan(_ bytes: Span<UInt8>) -> HeadScan {
    var position = next
    while true {
      position = bytes.firstPosition(from: position, below: 0x20)
      next = position
      guard position < bytes.count else { return .incomplete }
      if bytes[position] == ByteClass.tab {
        position &+= 1
        continue
      }
      guard bytes[position] == ByteClass.carriageReturn else { return .malformed }
      guard position &+ 1 < bytes.count else { return .incomplete }
      guard bytes[position &+ 1] == ByteClass.lineFeed else { return .malformed }
      if position == lineStart, let result = emptyLine(at: position) { return result }
      position &+= 2
      lineStart = position
    }
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
