import GatewayBase

/// Reads a file of the dialect into a tree, or reports why not.
///
/// What the dialect lacks (anchors, aliases, tags, merge keys, second documents) is refused while the events pass,
/// before anything could be expanded: the cost is that of the text, whatever it would stand for.
enum YAMLReader {
  /// The file's mapping, or nil where it has none or its text is at fault; `diagnostics` says which.
  static func read(_ bytes: [UInt8], _ diagnostics: Diagnostics) -> Node? {
    do throws(SourceText.Fault) {
      try SourceText.check(bytes)
    } catch {
      diagnostics.error(error.code, at: error.place, error.message, hint: error.hint)
      return nil
    }
    guard let root = PlainForm.read(bytes) ?? tree(bytes, diagnostics) else { return nil }
    if root.isNull { return reportEmpty(diagnostics) }
    guard case .mapping = root.content else {
      diagnostics.invalid(root.place, "the file is \(root.kind), not a mapping", hint: "write it as key: value lines")
      return nil
    }
    return root
  }

  /// What libyaml makes of a file of any form.
  static func tree(_ bytes: [UInt8], _ diagnostics: Diagnostics) -> Node? {
    let stream = YAMLEventStream(bytes)
    var builder = NodeBuilder(diagnostics: diagnostics)
    do throws(YAMLSyntaxFault) {
      while true {
        let event = try stream.next()
        if case .streamEnd = event.kind { break }
        guard builder.take(event) else { return nil }
      }
    } catch {
      report(error, diagnostics)
      return nil
    }
    if builder.isUnsupported { return nil }
    guard let root = builder.root else { return reportEmpty(diagnostics) }
    return root
  }

  private static func reportEmpty(_ diagnostics: Diagnostics) -> Node? {
    diagnostics.error(.emptyFile, at: .start, "the file has no keys", hint: "write its keys, or remove the file")
    return nil
  }

  private static func report(_ fault: YAMLSyntaxFault, _ diagnostics: Diagnostics) {
    var message = fault.problem
    if let context = fault.context {
      message += " \(context)"
      if fault.contextLine != fault.place.line { message += " that begins on line \(fault.contextLine)" }
    }
    diagnostics.error(.invalidYAML, at: fault.place, message, hint: hint(for: fault.problem))
  }

  private static func hint(for problem: String) -> String {
    switch problem {
    case "mapping values are not allowed in this context":
      "indent keys of one mapping alike; put quotes around a text that holds \": \""
    case "found character that cannot start any token": "put quotes around a text that begins with @, ` or %"
    case "found unexpected end of stream": "close the quote or bracket that is still open"
    case "could not find expected ':'": "write key: value, with a blank after the colon"
    default: "look at the indentation and the brackets of this line and the one before"
    }
  }
}
