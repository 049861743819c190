/// Base64 with its own alphabet (RFC 4648 section 4).
package enum Base64 {
  /// - Parameter isPadded: whether `=` fills the last four letters up.
  package static func encode(_ bytes: [UInt8], isPadded: Bool = true) -> String {
    let letters = Base64URL.encode(bytes).utf8.map { letter in
      switch letter {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: letter
      }
    }
    let padding = isPadded ? String(repeating: "=", count: (4 - letters.count % 4) % 4) : ""
    return String(decoding: letters, as: UTF8.self) + padding
  }

  /// The bytes of a text without padding; nil where it is none.
  package static func decodeUnpadded(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.allSatisfy({ $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }) else { return nil }
    return Base64URL.decode(
      text.map { letter in
        switch letter {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: letter
        }
      })
  }
}
