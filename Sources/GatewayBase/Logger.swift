import Glibc

/// Writes records at or above a level to a descriptor, each as one `write`, so that lines of threads never mix.
package struct Logger: Sendable {
  private let descriptor: Int32
  private let level: LogLevel
  private let format: LogRecord.Format
  private let clock: any WallClock

  /// - Parameter descriptor: where lines go; standard error unless a test says otherwise.
  package init(
    descriptor: Int32 = STDERR_FILENO, level: LogLevel = .info, format: LogRecord.Format = .json,
    clock: any WallClock = SystemClock()
  ) {
    self.descriptor = descriptor
    self.level = level
    self.format = format
    self.clock = clock
  }

  package func debug(_ message: StaticString, _ fields: LogField...) { log(.debug, message, fields) }
  package func info(_ message: StaticString, _ fields: LogField...) { log(.info, message, fields) }
  package func warning(_ message: StaticString, _ fields: LogField...) { log(.warning, message, fields) }
  package func error(_ message: StaticString, _ fields: LogField...) { log(.error, message, fields) }

  /// Whether a record of this level would be written: ask before building costly fields.
  package func writes(_ level: LogLevel) -> Bool { level >= self.level }

  package func log(_ level: LogLevel, _ message: StaticString, _ fields: [LogField]) {
    guard writes(level) else { return }
    let line = LogRecord(time: clock.now, level: level, message: message, fields: fields).line(format)
    // A log that can't be written must not stop the gateway: the result is of no use here.
    _ = unsafe line.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
  }
}
