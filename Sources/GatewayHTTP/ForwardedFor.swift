import GatewayBase

/// The address that a request came from, as the proxies in front of the gateway tell it in `X-Forwarded-For`.
package enum ForwardedFor {
  /// Walks from the right, where the nearest proxy wrote, over the addresses that are trusted.
  ///
  /// The first that is not is the client. Whatever stands left of it the client may have made up, to dodge limits or
  /// to have others locked out. An entry that is no address ends the walk too: then the last good one counts.
  /// - Parameters:
  ///   - head: the bytes that `fields` was read from.
  ///   - peer: a trusted peer; the answer where it tells nothing.
  package static func client(
    _ head: Span<UInt8>, _ fields: borrowing FieldTable, peer: IPAddress, isTrusted: (IPAddress) -> Bool
  ) -> IPAddress {
    var last = peer
    var index = fields.count
    while index > 0 {
      index -= 1
      guard fields[index].name == .xForwardedFor else { continue }
      let value = fields[index].valueRange
      var end = value.upperBound
      while end >= value.lowerBound {
        var start = end
        while start > value.lowerBound, head[start - 1] != UInt8(ascii: ",") { start -= 1 }
        guard let address = address(head, (start..<end).trimmingBlanks(in: head)) else { return last }
        guard isTrusted(address) else { return address }
        last = address
        end = start - 1
      }
    }
    return last
  }

  /// Reads an entry: an address, perhaps in brackets, perhaps with a port. IPv4-mapped ones are unmapped.
  static func address(_ bytes: Span<UInt8>, _ range: Range<Int>) -> IPAddress? {
    guard !range.isEmpty else { return nil }
    var host = range
    if bytes[range.lowerBound] == UInt8(ascii: "[") {
      guard let close = first(UInt8(ascii: "]"), in: range, of: bytes) else { return nil }
      host = (range.lowerBound + 1)..<close
      guard close + 1 == range.upperBound || isPort(bytes, (close + 1)..<range.upperBound),
        let address = IPAddress(bytes.extracting(host)), case .v6 = address
      else { return nil }
      return address.unmapped
    }
    // A single colon parts a port from an IPv4 address; more are those of an IPv6 address.
    if let colon = first(UInt8(ascii: ":"), in: range, of: bytes),
      first(UInt8(ascii: ":"), in: (colon + 1)..<range.upperBound, of: bytes) == nil
    {
      guard isPort(bytes, colon..<range.upperBound) else { return nil }
      host = range.lowerBound..<colon
    }
    return IPAddress(bytes.extracting(host))?.unmapped
  }

  private static func first(_ byte: UInt8, in range: Range<Int>, of bytes: Span<UInt8>) -> Int? {
    for index in range where bytes[index] == byte { return index }
    return nil
  }

  /// A colon and one to five digits.
  private static func isPort(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard (2...6).contains(range.count), bytes[range.lowerBound] == UInt8(ascii: ":") else { return false }
    for index in range.dropFirst() where !ByteClass.isDigit(bytes[index]) { return false }
    return true
  }
}
