import GatewayBase

/// A request target in the one form that rules match, logs show and the backend gets.
///
/// One function for all protocols. The path is in the buffer that was passed; the query goes on untouched.
package struct CanonicalTarget: Sendable, Equatable {
  /// Bytes of the path in the buffer; 0 for `*`.
  package let pathCount: Int
  /// Where the query is in the received target, without its `?`; nil where there is none.
  package let queryRange: Range<Int>?
  /// `OPTIONS *`, which the gateway answers itself.
  package let isAsterisk: Bool

  /// Judges a received target and writes its canonical path into `buffer`.
  ///
  /// - Parameters:
  ///   - target: the target of the request line or the `:path`, as received.
  ///   - opaque: the tenant's `paths: opaque`: the path's bytes pass untouched, if they may be in a target at all.
  /// - Throws: 405 for `CONNECT` and `TRACE`, whatever their target; 414; 400.
  package static func parse(
    _ target: Span<UInt8>, method: HTTPMethod, opaque: Bool = false, into buffer: inout TargetBuffer
  ) throws(Refusal) -> CanonicalTarget {
    buffer.truncate(to: 0)
    guard method != .connect, method != .trace else {
      throw .methodNotAllowed("GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS").closing()
    }
    guard target.count <= Limits.target else { throw .targetTooLong }
    guard target.count > 0, target[0] == slash else {
      guard target.count == 1, target[0] == UInt8(ascii: "*"), method == .options else {
        throw .badRequest("The target must begin with / (origin form).")
      }
      return CanonicalTarget(pathCount: 0, queryRange: nil, isAsterisk: true)
    }
    let pathEnd = copyPlainPath(target, into: &buffer)
    var end = pathEnd
    if end < target.count, target[end] != question {
      end = 0
      while end < target.count, target[end] != question { end += 1 }
      if opaque {
        try PathNormalizer.copy(target.extracting(0..<end), into: &buffer)
      } else {
        try PathNormalizer.normalize(target.extracting(0..<end), into: &buffer)
      }
    }
    guard end < target.count else {
      return CanonicalTarget(pathCount: buffer.count, queryRange: nil, isAsterisk: false)
    }
    let query = (end + 1)..<target.count
    guard isQuery(target, query) else { throw .badRequest("The query holds a byte that must be percent-encoded.") }
    return CanonicalTarget(pathCount: buffer.count, queryRange: query, isAsterisk: false)
  }

  /// Copies the bytes of a path for as long as they can only stand for themselves, and returns where that ends.
  private static func copyPlainPath(_ target: Span<UInt8>, into buffer: inout TargetBuffer) -> Int {
    var previous: UInt8 = 0
    var index = 0
    while index < target.count {
      let byte = target[index]
      guard ByteClass.isTarget(byte), byte != question else { return index }
      if previous == slash, byte == slash || byte == dot { return index }
      buffer.append(byte)
      previous = byte
      index &+= 1
    }
    return index
  }

  /// Encoded separators are data in a query (`?next=https%3A%2F%2F…`), so only the bytes and triplets are judged.
  private static func isQuery(_ target: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      if ByteClass.isTarget(target[index]) {
        index &+= 1
      } else {
        guard target.percentTriplet(at: index) != nil else { return false }
        index &+= 3
      }
    }
    return true
  }

  private static let slash = UInt8(ascii: "/")
  private static let question = UInt8(ascii: "?")
  private static let dot = UInt8(ascii: ".")
}

extension Span where Element == UInt8 {
  /// The value of the triplet `%XX` at `index`, or nil where there is none.
  func percentTriplet(at index: Int) -> UInt8? {
    guard index &+ 2 < count, self[index] == UInt8(ascii: "%") else { return nil }
    guard let high = Hex.value(of: self[index &+ 1]), let low = Hex.value(of: self[index &+ 2]) else { return nil }
    return high << 4 | low
  }
}
