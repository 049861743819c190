import GatewayBase
import GatewayHTTP

/// What a decoder makes of a body, however it came.
private enum Decoded: Equatable {
  case unfinished(payload: [UInt8])
  /// `count` bytes were the body with its framing.
  case ended(payload: [UInt8], count: Int)
  case malformed(payload: [UInt8])

  init(_ bytes: [UInt8], every step: Int) throws(BrokenProperty) {
    var decoder = ChunkedDecoder()
    var payload: [UInt8] = []
    var position = 0
    for end in cuts(bytes.count, every: step) {
      while position < end {
        switch decoder.next(bytes.span.extracting(position..<end)) {
        case .data(let skip, let count):
          try expect(count > 0 && skip >= 0 && position + skip + count <= end, "payload is of the bytes that came")
          payload += bytes[(position + skip)..<(position + skip + count)]
          position += skip + count
        case .needMore(let consumed):
          try expect(position + consumed == end, "a decoder that wants more has taken all")
          position = end
        case .end(let consumed):
          try expect((0...(end - position)).contains(consumed), "a body ends within the bytes that came")
          self = .ended(payload: payload, count: position + consumed)
          return
        case .malformed:
          self = .malformed(payload: payload)
          return
        }
      }
    }
    self = .unfinished(payload: payload)
  }
}

/// A chunked body: its payload is what the plainest reader sees, wherever it is cut.
func fuzzChunkedBody(_ bytes: [UInt8]) throws(BrokenProperty) {
  let decoded = try Decoded(bytes, every: max(bytes.count, 1))
  for step in [1, 3, 16] {
    try expect(try Decoded(bytes, every: step) == decoded, "a body does not depend on cuts of \(step)")
  }
  var reader = PlainChunks(rest: bytes[...])
  switch decoded {
  case .ended(let payload, let count):
    try expect(reader.readAll() && reader.payload == payload, "a body that ends is what the plainest reader sees")
    try expect(reader.rest.startIndex == count, "a body ends where the plainest reader ends")
    let anew = Array("\(String(payload.count, radix: 16))\r\n".utf8) + payload + Array("\r\n0\r\n\r\n".utf8)
    let isEmpty = payload.isEmpty
    let plain = isEmpty ? Array("0\r\n\r\n".utf8) : anew
    try expect(
      try Decoded(plain, every: plain.count) == .ended(payload: payload, count: plain.count),
      "a payload is the same when it is framed anew")
  case .unfinished(let payload), .malformed(let payload):
    try expect(!reader.readAll(), "a body that does not end is none to the plainest reader")
    try expect(payload.count <= bytes.count, "a payload is of the bytes that came")
  }
}

/// RFC 9112 section 7.1, line by line.
private struct PlainChunks {
  var rest: ArraySlice<UInt8>
  var payload: [UInt8] = []

  private mutating func line() -> ArraySlice<UInt8>? {
    guard let end = rest.first(crlf) else { return nil }
    defer { rest = rest[(end + 2)...] }
    return rest[..<end]
  }

  /// Whether a whole body was there.
  mutating func readAll() -> Bool {
    while let line = line() {
      guard line.count + 2 <= Limits.chunkLine, let size = size(line) else { return false }
      if size == 0 { return trailers() }
      guard UInt64(rest.count) >= size else { return false }
      payload += rest.prefix(Int(size))
      rest = rest.dropFirst(Int(size))
      guard rest.starts(with: crlf) else { return false }
      rest = rest.dropFirst(2)
    }
    return false
  }

  private func size(_ line: ArraySlice<UInt8>) -> UInt64? {
    let digits = line.prefix { $0 != UInt8(ascii: ";") }
    guard (1...16).contains(digits.count), line.isFieldValue, digits.allSatisfy({ Hex.value(of: $0) != nil }) else {
      return nil
    }
    return UInt64(digits.text, radix: 16)
  }

  private mutating func trailers() -> Bool {
    let start = rest.startIndex
    while let line = line() {
      guard rest.startIndex - start <= Limits.trailers else { return false }
      if line.isEmpty { return true }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line[..<colon].isToken,
        line[(colon + 1)...].isFieldValue
      else { return false }
    }
    return false
  }
}
