/// Base64 with its own alphabet and with padding (RFC 4648 section 4).
package enum Base64 {
  package static func encode(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes).utf8.map { letter in
      switch letter {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: letter
      }
    }
    return String(decoding: text, as: UTF8.self) + String(repeating: "=", count: (4 - text.count % 4) % 4)
  }
}
