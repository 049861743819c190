/// How much a record matters, least first.
package enum LogLevel: UInt8, Sendable, Comparable, CaseIterable {
  case debug, info, warning, error

  package var name: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .warning: "warning"
    case .error: "error"
    }
  }

  package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// One named value of a record. Never a token, a secret, an email address or a raw query.
package struct LogField: Sendable {
  package enum Value: Sendable {
    case text(String)
    case integer(Int64)
    case flag(Bool)
  }

  package let key: StaticString
  package let value: Value

  package static func text(_ key: StaticString, _ value: String) -> LogField {
    LogField(key: key, value: .text(value))
  }

  package static func integer(_ key: StaticString, _ value: some BinaryInteger) -> LogField {
    LogField(key: key, value: .integer(Int64(clamping: value)))
  }

  package static func flag(_ key: StaticString, _ value: Bool) -> LogField { LogField(key: key, value: .flag(value)) }
}

/// One line of the log: a constant message, with what varies in fields.
package struct LogRecord: Sendable {
  package enum Format: Sendable { case json, text }

  package let time: UnixTime
  package let level: LogLevel
  package let message: StaticString
  package let fields: [LogField]

  package init(time: UnixTime, level: LogLevel, message: StaticString, fields: [LogField]) {
    self.time = time
    self.level = level
    self.message = message
    self.fields = fields
  }

  /// The record as one line that ends in a line feed.
  package func line(_ format: Format) -> [UInt8] {
    switch format {
    case .json: jsonLine
    case .text: textLine
    }
  }

  private var jsonLine: [UInt8] {
    var line = Array("{\"time\":\"\(time.rfc3339)\",\"level\":\"\(level.name)\",\"message\":".utf8)
    JSONText.append("\(message)", to: &line)
    for field in fields {
      line.append(UInt8(ascii: ","))
      JSONText.append("\(field.key)", to: &line)
      line.append(UInt8(ascii: ":"))
      append(field.value, to: &line)
    }
    line += Array("}\n".utf8)
    return line
  }

  private var textLine: [UInt8] {
    var line = Array("\(time.rfc3339) \(level.name) \(message)".utf8)
    for field in fields {
      line += Array(" \(field.key)=".utf8)
      append(field.value, to: &line)
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private func append(_ value: LogField.Value, to line: inout [UInt8]) {
    switch value {
    case .text(let text): JSONText.append(text, to: &line)
    case .integer(let number): line += Array(String(number).utf8)
    case .flag(let flag): line += Array((flag ? "true" : "false").utf8)
    }
  }
}
