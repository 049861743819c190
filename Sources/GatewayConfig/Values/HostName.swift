/// A host in its canonical form: lower-case ASCII, without port and final dot.
package struct HostName: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Nil where `text` is no DNS name or IPv4 address: letters, digits, `-` and dots; labels of 1 to 63, 253 in all.
  package init?(_ text: String) {
    if text.hasPrefix("["), text.hasSuffix("]"), case .v6 = IPAddress(text.dropFirst().dropLast()),
      let address = IPAddress(text.dropFirst().dropLast())
    {
      description = "[\(address)]"
      return
    }
    var name = text.lowercased()
    if let colon = name.lastIndex(of: ":") {
      guard portNumber(name[name.index(after: colon)...]) != nil else { return nil }
      name = String(name[..<colon])
    }
    if name.hasSuffix(".") { name.removeLast() }
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isName = labels.allSatisfy { label in
      (1...63).contains(label.count) && label.first != 0x2D && label.last != 0x2D
        && label.allSatisfy { $0.isLowercaseLetter || $0.isDigit || $0 == 0x2D }
    }
    guard isName, (1...253).contains(name.utf8.count) else { return nil }
    description = name
  }
}
