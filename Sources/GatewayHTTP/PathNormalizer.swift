import GatewayBase

/// Writes paths that hold more than plain bytes (RFC 3986 section 6.2.2).
enum PathNormalizer {
  /// Decodes triplets of unreserved bytes, writes the others in upper case, resolves `.` and `..`, makes runs of `/`
  /// one.
  ///
  /// Refused is what a backend may read in another way than the rules did: an encoded `/`, `\` or NUL, a dot,
  /// separator or NUL encoded twice or more, a dot segment with parameters (`..;x`, which some take for `..`).
  /// - Parameter path: begins with `/` and holds no `?`.
  static func normalize(_ path: Span<UInt8>, into buffer: inout TargetBuffer) throws(Refusal) {
    buffer.truncate(to: 0)
    buffer.append(slash)
    var segmentStart = 1
    var index = 1
    while index < path.count {
      let byte = path[index]
      if byte == slash {
        segmentStart = try endSegment(from: segmentStart, isLast: false, in: &buffer)
        index += 1
      } else if ByteClass.isTarget(byte) {
        buffer.append(byte)
        index += 1
      } else {
        guard let value = path.percentTriplet(at: index) else { throw foreignByte }
        guard value != 0, value != slash, value != backslash else {
          throw .badRequest("The path holds an encoded /, \\ or NUL.")
        }
        append(value, to: &buffer)
        index += 3
      }
    }
    _ = try endSegment(from: segmentStart, isLast: true, in: &buffer)
  }

  /// Copies a path as it is, if all its bytes and triplets may be in a target.
  static func copy(_ path: Span<UInt8>, into buffer: inout TargetBuffer) throws(Refusal) {
    buffer.truncate(to: 0)
    for index in path.indices {
      guard ByteClass.isTarget(path[index]) || path.percentTriplet(at: index) != nil else { throw foreignByte }
      buffer.append(path[index])
    }
  }

  private static func append(_ value: UInt8, to buffer: inout TargetBuffer) {
    guard !ByteClass.isUnreserved(value) else { return buffer.append(value) }
    buffer.append(UInt8(ascii: "%"))
    buffer.append(upperHex(value >> 4))
    buffer.append(upperHex(value & 0xF))
  }

  private static func upperHex(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  /// Settles the segment that was written from `start` on, and returns where the next one begins.
  private static func endSegment(
    from start: Int, isLast: Bool, in buffer: inout TargetBuffer
  ) throws(Refusal) -> Int {
    let count = buffer.count - start
    guard count > 0 else { return start }
    var dots = 0
    while dots < count, dots < 3, buffer[start + dots] == dot { dots += 1 }
    if dots == 1 || dots == 2 {
      if count == dots {
        buffer.truncate(to: dots == 1 ? start : parent(of: start, in: buffer))
        return buffer.count
      }
      guard buffer[start + dots] != UInt8(ascii: ";") else {
        throw .badRequest("The path holds a dot segment with parameters.")
      }
    }
    guard !holdsDoubleEncoding(buffer, from: start) else {
      throw .badRequest("The path holds a dot, separator or NUL that is encoded twice.")
    }
    if !isLast { buffer.append(slash) }
    return buffer.count
  }

  /// Where the segment before the one at `start` begins; the root has none, so `..` stays there.
  private static func parent(of start: Int, in buffer: borrowing TargetBuffer) -> Int {
    guard start > 1 else { return 1 }
    var index = start - 1
    while index > 1, buffer[index - 1] != slash { index -= 1 }
    return index
  }

  /// Whether there is `%25`, any number of `25` and then the digits of `.`, `/`, `\` or NUL.
  private static func holdsDoubleEncoding(_ buffer: borrowing TargetBuffer, from start: Int) -> Bool {
    let segment = buffer.path.extracting(start...)
    for index in segment.indices where segment.percentTriplet(at: index) == UInt8(ascii: "%") {
      var digits = index + 3
      while let value = segment.hexPair(at: digits) {
        if value == dot || value == slash || value == backslash || value == 0 { return true }
        guard value == UInt8(ascii: "%") else { break }
        digits += 2
      }
    }
    return false
  }

  private static let slash = UInt8(ascii: "/")
  private static let backslash = UInt8(ascii: "\\")
  private static let dot = UInt8(ascii: ".")
  private static var foreignByte: Refusal {
    .badRequest("The path holds a byte that must be percent-encoded, or a malformed percent triplet.")
  }
}

extension Span where Element == UInt8 {
  /// The value of two hexadecimal digits at `index`, or nil where there are none.
  fileprivate func hexPair(at index: Int) -> UInt8? {
    guard index + 1 < count, let high = Hex.value(of: self[index]), let low = Hex.value(of: self[index + 1]) else {
      return nil
    }
    return high << 4 | low
  }
}
