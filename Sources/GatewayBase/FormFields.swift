/// The fields of `application/x-www-form-urlencoded` (URL standard section 5), read strictly: a broken triplet, bytes that
/// are no UTF-8 or a name given twice make the whole unreadable, so that two readers can't see two forms.
package struct FormFields: Sendable, Equatable {
  package let values: [String: String]

  /// - Parameter bytes: a body, or a query without `?`.
  /// - Returns: nil where it can't be read.
  package init?(_ bytes: some Collection<UInt8>) {
    var values: [String: String] = [:]
    for part in bytes.split(separator: UInt8(ascii: "&")) {
      let equals = part.firstIndex(of: UInt8(ascii: "="))
      let value = equals.map { part[part.index(after: $0)...] } ?? part[part.endIndex...]
      guard let name = Self.decoded(part[..<(equals ?? part.endIndex)]), let value = Self.decoded(value),
        values.updateValue(value, forKey: name) == nil
      else { return nil }
    }
    self.values = values
  }

  package subscript(name: String) -> String? { values[name] }

  private static func decoded(_ bytes: some Collection<UInt8>) -> String? {
    var result: [UInt8] = []
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "+"): result.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(Hex.value), let low = rest.next().flatMap(Hex.value) else { return nil }
        result.append(high << 4 | low)
      default: result.append(byte)
      }
    }
    return String(validating: result, as: UTF8.self)
  }
}

/// Writes text for forms and queries.
package enum PercentEncoding {
  /// All but unreserved characters (RFC 3986 section 2.3) as triplets.
  package static func encode(_ text: String) -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: encoded.append(byte)
      default: encoded += Array("%\(Hex.encode([byte]).uppercased())".utf8)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
