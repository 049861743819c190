import GatewayBase

/// Checks of a file's bytes that come before any YAML: what could hide content from a reader, or make a line
/// mean another thing than it looks like, is refused with its place.
enum SourceText {
  struct Fault: Error {
    let code: ProblemCode
    let place: Place
    let message: String
    let hint: String?
  }

  /// Throws the first fault of `bytes`.
  static func check(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.count <= Limits.configurationFile else {
      throw Fault(
        code: .invalidYAML, place: .start, message: "the file is over \(Limits.configurationFile / 1024) KiB",
        hint: "split it: one file an app")
    }
    let text: String
    do { text = try String(validating: bytes) } catch let fault { throw notUTF8(bytes, at: fault.offset) }
    var scanner = LineScanner()
    for scalar in text.unicodeScalars { try scanner.take(scalar) }
    try scanner.finish()
  }

  private static func notUTF8(_ bytes: [UInt8], at offset: Int) -> Fault {
    let before = String(decoding: bytes.prefix(offset), as: UTF8.self).unicodeScalars
    let line = before.count { $0 == "\n" } + 1
    let column =
      before.count - (before.lastIndex(of: "\n").map { before.distance(from: before.startIndex, to: $0) + 1 } ?? 0) + 1
    let isUTF16 = offset == 0 && (bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]))
    return Fault(
      code: .invalidYAML, place: Place(line: line, column: column),
      message: isUTF16 ? "the file is UTF-16" : "these bytes are not UTF-8", hint: "save the file as UTF-8")
  }
}

private struct NotUTF8: Error { let offset: Int }

extension String {
  fileprivate init(validating bytes: [UInt8]) throws(NotUTF8) {
    do {
      self = String(copying: try UTF8Span(validating: bytes.span))
    } catch { throw NotUTF8(offset: error.byteOffsets.lowerBound) }
  }
}

/// Walks a text by lines, the way an editor shows it: LF and CRLF end a line and nothing else does.
private struct LineScanner {
  private var line = 1
  private var column = 1
  private var isIndentation = true
  private var tab: Place?
  private var afterCR = false

  private var place: Place { Place(line: line, column: column) }

  mutating func take(_ scalar: Unicode.Scalar) throws(SourceText.Fault) {
    if afterCR && scalar != "\n" { throw loneCR }
    switch scalar {
    case "\n":
      line += 1
      column = 1
      isIndentation = true
      tab = nil
      afterCR = false
      return
    case "\r": afterCR = true
    case "\t": if isIndentation && tab == nil { tab = place }
    case " ": break
    default: try takeVisible(scalar)
    }
    column += 1
  }

  func finish() throws(SourceText.Fault) { if afterCR { throw loneCR } }

  private mutating func takeVisible(_ scalar: Unicode.Scalar) throws(SourceText.Fault) {
    if isIndentation {
      if let tab { throw fault("a tab in the indentation", at: tab, hint: "indent with spaces") }
      if scalar == "%" && column == 1 {
        throw SourceText.Fault(
          code: .unsupportedYAML, place: place, message: "a directive (%…) is not part of this dialect",
          hint: "remove the line")
      }
      isIndentation = false
    }
    switch scalar.value {
    case 0: throw fault("a NUL byte", at: place, hint: "remove it")
    case 0xFEFF: throw fault("a byte order mark", at: place, hint: "save the file as UTF-8 without a byte order mark")
    case 0x85, 0x2028, 0x2029:
      // YAML 1.1 ends a line here where editors do not: a comment could hide keys.
      throw fault("a Unicode line separator", at: place, hint: "end lines with LF or CRLF")
    case 1..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF:
      throw fault(
        "a control character (U+\(String(scalar.value, radix: 16, uppercase: true)))", at: place, hint: "remove it")
    default: break
    }
  }

  private var loneCR: SourceText.Fault {
    fault(
      "a carriage return without a line feed", at: Place(line: line, column: column - 1),
      hint: "end lines with LF or CRLF")
  }

  private func fault(_ message: String, at place: Place, hint: String) -> SourceText.Fault {
    SourceText.Fault(code: .invalidYAML, place: place, message: message, hint: hint)
  }
}
