import GatewayBase

/// Whether a text has the form of a team ID or a key ID: ten capital letters and digits.
package func isAppleID(_ text: String) -> Bool {
  text.utf8.count == 10 && text.utf8.allSatisfy { $0.isUppercaseLetter || $0.isDigit }
}

extension ValueType where Value == String {
  /// What Apple writes into `aud`: never the App Store's number, never a pattern.
  static var bundleID: ValueType {
    let pattern = "^(?=.*[A-Za-z])[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$"
    return .text("a bundle ID", pattern: pattern) { text throws(ValueFault) in
      let example = "write the bundle ID of Xcode, such as com.example.notes"
      if text.utf8.allSatisfy({ $0.isDigit }) {
        throw ValueFault("\(Quoted(text)) is a number of the App Store, not a bundle ID", hint: example)
      }
      if text.holds("*") {
        throw ValueFault("\(Quoted(text)) is a pattern, not a bundle ID", hint: "list each bundle ID")
      }
      guard isDotted(text), text.utf8.contains(where: { $0.isLetter }), text.utf8.count <= 155 else {
        throw ValueFault("\(Quoted(text)) is not a bundle ID", hint: example)
      }
      return text
    }
  }

  /// Whether a text is two or more parts of letters, digits and hyphens with dots between them.
  private static func isDotted(_ text: String) -> Bool {
    var (dots, before) = (0, UInt8(ascii: "."))
    for byte in text.utf8 {
      let isDot = byte == UInt8(ascii: ".")
      guard isDot ? before != byte : byte.isAlphanumeric || byte == UInt8(ascii: "-") else { return false }
      if isDot { dots += 1 }
      before = byte
    }
    return dots > 0 && before != UInt8(ascii: ".")
  }

  /// A team ID or key ID: ten letters and digits.
  static func appleID(_ form: String) -> ValueType {
    .text(form, pattern: "^[A-Z0-9]{10}$") { text throws(ValueFault) in
      guard isAppleID(text) else {
        throw ValueFault(
          "\(Quoted(text)) is not \(form)", hint: "write the ten capital letters and digits of Apple's developer site")
      }
      return text
    }
  }
}
