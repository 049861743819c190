/// The name by which an app or the platform is reached, in canonical form: ASCII, lower case, without port and final
/// dot; or a bracketed IPv6 address.
///
/// The one home of that form, for hosts received and hosts configured. Names with other letters are received in
/// their A-label form (`xn--…`) only.
package struct HostName: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// The canonical form of `text`, or nil where it is no host: see `canonicalize`.
  package init?(_ text: String) {
    let received = Array(text.utf8)
    var buffer = HostBuffer()
    guard HostName.canonicalize(received.span, into: &buffer) else { return nil }
    self.init(buffer)
  }

  /// A name of our own, already in canonical form.
  package init(literal: StaticString) { description = "\(literal)" }

  /// The host that `canonicalize` wrote.
  package init(_ buffer: borrowing HostBuffer) {
    var text: [UInt8] = []
    text.reserveCapacity(buffer.count)
    for index in buffer.bytes.indices { text.append(buffer.bytes[index]) }
    description = String(decoding: text, as: UTF8.self)
  }

  /// Whether the last label is a number, as in `192.0.2.1` or `0x7f.1`: clients take such a name for an IPv4 address
  /// (WHATWG URL, "ends in a number").
  package var endsInNumber: Bool {
    let bytes = description.utf8
    let start = bytes.lastIndex(of: UInt8(ascii: ".")).map { bytes.index(after: $0) } ?? bytes.startIndex
    let last = bytes[start...]
    // Most names end in letters: one look is enough.
    guard let first = last.first, first.isDigit else { return false }
    return last.allSatisfy { $0.isDigit }
      || (last.starts(with: "0x".utf8) && UInt64(Substring(last.dropFirst(2)), radix: 16) != nil)
      || last.elementsEqual("0x".utf8)
  }

  /// Writes the canonical form of a received `Host` or `:authority` into `buffer`, and its port.
  ///
  /// Letters, digits, `-` and `.`; labels of 1–63 bytes that neither begin nor end with `-`, 253 bytes in all; or an
  /// IPv6 address in brackets; then, maybe, a port of 1–65535.
  /// - Returns: false where it is none of that, userinfo and bytes that are not ASCII among them.
  package static func canonicalize(_ received: Span<UInt8>, into buffer: inout HostBuffer) -> Bool {
    buffer.removeAll()
    guard received.count > 0 else { return false }
    let isAddress = received[0] == UInt8(ascii: "[")
    guard let end = isAddress ? address(received, into: &buffer) : name(received, into: &buffer) else { return false }
    guard end < received.count else { return true }
    guard received[end] == UInt8(ascii: ":"), let port = port(received, from: end + 1) else { return false }
    buffer.port = port
    return true
  }

  /// Reads a name and returns where the port's colon or the end is.
  private static func name(_ received: Span<UInt8>, into buffer: inout HostBuffer) -> Int? {
    var labelStart = 0
    var index = 0
    while index < received.count, received[index] != UInt8(ascii: ":") {
      let byte = received[index]
      switch byte {
      case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"): guard buffer.append(byte) else { return nil }
      case 0x41...0x5A: guard buffer.append(byte | 0x20) else { return nil }
      case UInt8(ascii: "."):
        guard isLabel(received, labelStart..<index), buffer.append(byte) else { return nil }
        labelStart = index + 1
      default: return nil
      }
      index += 1
    }
    let endsInDot = labelStart == index && index > 0
    guard endsInDot || isLabel(received, labelStart..<index) else { return nil }
    buffer.removeFinalDot()
    return buffer.count <= 253 ? index : nil
  }

  private static func isLabel(_ received: Span<UInt8>, _ range: Range<Int>) -> Bool {
    (1...63).contains(range.count) && received[range.lowerBound] != UInt8(ascii: "-")
      && received[range.upperBound - 1] != UInt8(ascii: "-")
  }

  /// Reads a bracketed address and returns where the byte after the bracket is.
  private static func address(_ received: Span<UInt8>, into buffer: inout HostBuffer) -> Int? {
    var close = 1
    while close < received.count, received[close] != UInt8(ascii: "]") { close += 1 }
    guard close < received.count, let address = IPAddress(received.extracting(1..<close)), case .v6 = address else {
      return nil
    }
    for byte in address.bracketed.utf8 { guard buffer.append(byte) else { return nil } }
    return close + 1
  }

  /// A port of 1–65535 without leading zeros, which reaches to the end.
  private static func port(_ received: Span<UInt8>, from start: Int) -> UInt16? {
    guard (1...5).contains(received.count - start), received[start] != UInt8(ascii: "0") else { return nil }
    var value: UInt32 = 0
    for index in start..<received.count {
      guard (0x30...0x39).contains(received[index]) else { return nil }
      value = value * 10 + UInt32(received[index] - 0x30)
    }
    return UInt16(exactly: value)
  }
}
