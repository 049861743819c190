/// Quoted-printable (RFC 2045 section 6.7): lines of 76 signs at most, of ASCII.
enum QuotedPrintable {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// - Parameter text: lines separated by LF or CRLF.
  static func text(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count + bytes.count / 8)
    var column = 0
    for (index, byte) in bytes.enumerated() {
      let next = index + 1 < bytes.count ? bytes[index + 1] : UInt8(ascii: "\n")
      if byte == UInt8(ascii: "\n") {
        out += [0x0D, 0x0A]
        column = 0
        continue
      }
      if byte == 0x0D, next == UInt8(ascii: "\n"), index + 1 < bytes.count { continue }
      let isBlank = byte == 0x20 || byte == 0x09
      let isEnd = next == UInt8(ascii: "\n") || (next == 0x0D && index + 2 < bytes.count && bytes[index + 2] == 0x0A)
      let isPlain = isBlank ? !isEnd : (0x21..<0x7F).contains(byte) && byte != UInt8(ascii: "=")
      let written =
        isPlain ? [byte] : [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      // One sign is left for the `=` that says that the line goes on.
      if column + written.count > 75 {
        out += [UInt8(ascii: "="), 0x0D, 0x0A]
        column = 0
      }
      out += written
      column += written.count
    }
    return String(decoding: out, as: UTF8.self)
  }
}
