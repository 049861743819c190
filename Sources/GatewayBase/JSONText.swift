/// Writes JSON text (RFC 8259) for the few places that build it by hand: errors, log lines, claims.
package enum JSONText {
  /// Appends `text` as a JSON string, quotes included.
  ///
  /// Besides what JSON demands, everything is escaped that could split or disguise a line in a log viewer:
  /// C1 controls, DEL, the line separators U+2028/9 and marks that change the reading direction.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(quote)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": bytes += [backslash, quote]
      case "\\": bytes += [backslash, backslash]
      case "\n": bytes += [backslash, UInt8(ascii: "n")]
      case "\r": bytes += [backslash, UInt8(ascii: "r")]
      case "\t": bytes += [backslash, UInt8(ascii: "t")]
      default:
        if mustEscape(scalar) { appendEscaped(scalar, to: &bytes) } else { bytes += Array(UTF8.encode(scalar)!) }
      }
    }
    bytes.append(quote)
  }

  /// `text` as a JSON string, quotes included.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F: true  // C0, DEL, C1
    case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0x061C, 0xFEFF: true  // separators, bidi marks, BOM
    default: false
    }
  }

  private static func appendEscaped(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    let value = UInt16(truncatingIfNeeded: scalar.value)
    bytes += [backslash, UInt8(ascii: "u")]
    for shift in [12, 8, 4, 0] as [UInt16] { bytes.append(Hex.digit(UInt8(value >> shift & 0xF))) }
  }
}
