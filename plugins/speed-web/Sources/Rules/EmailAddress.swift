/// An address of mail that can be somebody's (RFC 5321, without quoted local parts and address literals).
struct EmailAddress: Sendable, Equatable {
  private static let bytes = 254
  private static let localBytes = 64

  /// As it was typed, without blanks around it.
  let text: String

  /// What two spellings of one address have in common: no provider of note tells upper from lower case.
  var key: String { text.lowercased() }

  init?(_ input: String) {
    let text = String(input.trimmed)
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.bytes, parts.count == 2, Self.isLocalPart(parts[0]), Self.isDomain(parts[1]) else {
      return nil
    }
    self.text = text
  }

  /// Atoms with dots between them (RFC 5322 section 3.2.3).
  private static func isLocalPart(_ text: Substring) -> Bool {
    (1...localBytes).contains(text.utf8.count)
      && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
        !atom.isEmpty && atom.utf8.allSatisfy(isAtomText)
      }
  }

  private static func isAtomText(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
  }

  /// Two labels or more, in ASCII: other scripts as a relay gets them (RFC 5891), so that one address has one form. The
  /// last one has a letter, so that it is no network address.
  private static func isDomain(_ text: Substring) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return labels.count >= 2
      && labels.last?.utf8.contains { isLetterOrDigit($0) && !(0x30...0x39).contains($0) } == true
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.utf8.first != UInt8(ascii: "-")
          && label.utf8.last != UInt8(ascii: "-")
          && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
      }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}

extension StringProtocol {
  /// Without blanks at both ends.
  var trimmed: SubSequence {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
