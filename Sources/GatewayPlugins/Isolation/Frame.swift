import GatewayBase

/// Messages on a stream of bytes: a length of four bytes, most significant first, then the message.
package enum Frame {
  static let head = 4

  /// - Throws: for a message over `Limits.pluginFrame`.
  package static func bytes(_ message: [UInt8]) throws(MessageFault) -> [UInt8] {
    guard message.count <= Limits.pluginFrame else { throw MessageFault("the message is too large") }
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: message.count >> $0) } + message
  }
}

/// Takes bytes as they come and gives whole messages. It holds one message and what came behind it at most.
package struct FrameReader: Sendable {
  private var buffer: [UInt8] = []
  private var start = 0

  package init() {}

  package mutating func append(_ bytes: some Sequence<UInt8>) {
    if start > 0 {
      buffer.removeSubrange(..<start)
      start = 0
    }
    buffer += bytes
  }

  /// The next message; nil until it is whole.
  ///
  /// - Throws: where the length is over `Limits.pluginFrame`; nothing that follows can be read then.
  package mutating func next() throws(MessageFault) -> [UInt8]? {
    guard buffer.count - start >= Frame.head else { return nil }
    let size = buffer[start..<start + Frame.head].reduce(0) { $0 << 8 | Int($1) }
    guard size <= Limits.pluginFrame else { throw MessageFault("a message is too large") }
    let end = start + Frame.head + size
    guard buffer.count >= end else { return nil }
    defer { start = end }
    return Array(buffer[start + Frame.head..<end])
  }
}
