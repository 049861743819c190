/// One address of mail, as SMTP takes it (RFC 5321 section 4.1.2): a local part without quotation marks and a domain in
/// ASCII. It has no blank, no control and no bracket, so that it can't end the command or the line that it stands in.
package struct MailAddress: Sendable, Hashable {
  package let text: String

  /// - Parameters:
  ///   - text: what a person wrote.
  ///   - domain: reads the part behind the last `@`; names in other scripts become ASCII by it.
  /// - Returns: nil where it is no such address, or more than one.
  package init?(_ text: String, domain: (String) -> HostName? = { HostName($0) }) {
    guard text.utf8.count <= 1024, let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
    let local = text[..<at]
    let name = String(text[text.index(after: at)...])
    guard (1...64).contains(local.utf8.count), local.utf8.allSatisfy(Self.isLocal),
      !local.hasPrefix("."), !local.hasSuffix("."), !Self.hasTwoDots(local),
      !name.utf8.contains(UInt8(ascii: ":")), !name.hasSuffix("."),
      let host = domain(name), !host.description.hasPrefix("["), host.description.utf8.contains(UInt8(ascii: ".")),
      !host.endsInNumber, local.utf8.count + 1 + host.description.utf8.count <= 254
    else { return nil }
    self.text = "\(local)@\(host)"
  }

  /// `atext` of RFC 5322 section 3.2.3, and the dot.
  private static func isLocal(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || ".!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
  }

  private static func hasTwoDots(_ text: Substring) -> Bool {
    zip(text.utf8, text.utf8.dropFirst()).contains { $0 == UInt8(ascii: ".") && $1 == UInt8(ascii: ".") }
  }
}

extension MailAddress: CustomStringConvertible, CustomReflectable {
  package var description: String { "<address>" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
