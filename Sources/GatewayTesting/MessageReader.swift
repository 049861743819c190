/// Reads HTTP/1.1 messages from a stream of bytes, strictly: for answers of the gateway and for requests at a backend.
struct MessageReader {
  /// How a body ends.
  enum Framing: Equatable {
    case none
    case length(Int)
    case chunked
    case close
  }

  private var buffer: [UInt8] = []
  private var isAtEnd = false

  /// Bytes that were read but belong to nothing asked for yet.
  var leftover: [UInt8] { buffer }

  /// The bytes of the next head with its blank line; nil where the stream ends before its first byte.
  mutating func head(_ receive: () throws -> [UInt8]) throws -> [UInt8]? {
    while true {
      if let end = endOfHead() {
        defer { buffer.removeFirst(end) }
        return Array(buffer[..<end])
      }
      guard try fill(receive) else {
        if buffer.isEmpty { return nil }
        throw TestFailure("the stream ended inside a head")
      }
    }
  }

  private func endOfHead() -> Int? {
    guard buffer.count >= 4 else { return nil }
    let blankLine = Array("\r\n\r\n".utf8)
    return (0...(buffer.count - 4)).first { buffer[$0..<($0 + 4)].elementsEqual(blankLine) }.map { $0 + 4 }
  }

  /// The next piece of a body, empty at its end.
  ///
  /// - Parameter framing: what is left of the body; changed as pieces are taken.
  mutating func bodyPiece(_ framing: inout Framing, _ receive: () throws -> [UInt8]) throws -> [UInt8] {
    switch framing {
    case .none: return []
    case .length(let left):
      if left == 0 { return [] }
      if buffer.isEmpty, try !fill(receive) { throw TestFailure("the stream ended \(left) bytes before its body") }
      let piece = take(min(left, buffer.count))
      framing = .length(left - piece.count)
      return piece
    case .chunked:
      let size = try chunkSize(receive)
      while buffer.count < size + 2 {
        guard try fill(receive) else { throw TestFailure("the stream ended inside a chunk") }
      }
      let piece = take(size)
      guard take(2) == Array("\r\n".utf8) else { throw TestFailure("a chunk does not end where it says") }
      if size == 0 { framing = .none }
      return piece
    case .close:
      if buffer.isEmpty, try !fill(receive) { return [] }
      return take(buffer.count)
    }
  }

  private mutating func chunkSize(_ receive: () throws -> [UInt8]) throws -> Int {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = take(end + 1)
        guard line.count >= 3, line.suffix(2).first == UInt8(ascii: "\r"),
          let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16), size >= 0
        else { throw TestFailure("a chunk-size line that is more or less than a size") }
        return size
      }
      guard try fill(receive) else { throw TestFailure("the stream ended inside a chunk-size line") }
    }
  }

  /// The next `count` bytes.
  mutating func bytes(_ count: Int, _ receive: () throws -> [UInt8]) throws -> [UInt8] {
    while buffer.count < count {
      guard try fill(receive) else { throw TestFailure("the stream ended before \(count) bytes") }
    }
    return take(count)
  }

  /// Everything up to the end of the stream.
  mutating func rest(_ receive: () throws -> [UInt8]) throws -> [UInt8] {
    while try fill(receive) {}
    return take(buffer.count)
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  private mutating func fill(_ receive: () throws -> [UInt8]) throws -> Bool {
    if isAtEnd { return false }
    let piece = try receive()
    isAtEnd = piece.isEmpty
    buffer += piece
    return !piece.isEmpty
  }
}
