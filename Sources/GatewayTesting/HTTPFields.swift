/// Header fields as they stood on the wire: names with their case, in order, repeats kept.
package struct HTTPFields: Sendable, Equatable {
  package private(set) var lines: [(name: String, value: String)] = []

  package init(_ lines: [(name: String, value: String)] = []) { self.lines = lines }

  package static func == (a: HTTPFields, b: HTTPFields) -> Bool {
    a.lines.elementsEqual(b.lines) { $0.name == $1.name && $0.value == $1.value }
  }

  /// Values of every line of this name, whatever its case.
  package func all(_ name: String) -> [String] {
    let name = name.lowercased()
    return lines.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The value of the only line of this name; nil where there is none.
  ///
  /// Several lines are joined by `" | "`, which equals no value that a test expects.
  package subscript(_ name: String) -> String? {
    let values = all(name)
    return values.isEmpty ? nil : values.joined(separator: " | ")
  }

  /// Names in lower case with every `_` and `.` read as `-`: as lax backends fold them.
  package var foldedNames: [String] {
    lines.map { String($0.name.lowercased().map { $0 == "_" || $0 == "." ? "-" : $0 }) }
  }
}

/// Splits heads into lines, by CRLF alone.
enum HeadText {
  /// The head's lines without their ends.
  ///
  /// - Throws: `TestFailure` on a bare CR or LF, which no sender that the tests trust may write.
  static func lines(_ head: some Collection<UInt8>) throws -> [String] {
    var lines: [[UInt8]] = [[]]
    var sawCR = false
    for byte in head {
      switch byte {
      case UInt8(ascii: "\n"):
        guard sawCR else { throw TestFailure("a bare LF in a head") }
        lines.append([])
      case UInt8(ascii: "\r"):
        guard !sawCR else { throw TestFailure("a bare CR in a head") }
      default:
        guard !sawCR else { throw TestFailure("a bare CR in a head") }
        lines[lines.count - 1].append(byte)
      }
      sawCR = byte == UInt8(ascii: "\r")
    }
    return lines.map { String(decoding: $0, as: UTF8.self) }.filter { !$0.isEmpty }
  }

  static func fields(_ lines: some Sequence<String>) throws -> HTTPFields {
    HTTPFields(
      try lines.map { line in
        guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
          throw TestFailure("a header line without a name")
        }
        let value = line[line.index(after: colon)...]
        return (String(line[..<colon]), trimmed(value))
      })
  }

  private static func trimmed(_ text: Substring) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return String(text)
  }
}
