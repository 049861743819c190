import Foundation
import GatewayBase
import Testing

private struct FixedClock: WallClock {
  let now = UnixTime(seconds: 1_796_635_800)
}

@Suite("Log records") struct LogRecordTests {
  private func record(_ fields: LogField...) -> LogRecord {
    LogRecord(time: FixedClock().now, level: .warning, message: "something happened", fields: fields)
  }

  @Test("a JSON line holds time, level, message and fields in this order")
  func json() {
    let line = record(.text("route", "/v1/"), .integer("status", 404), .flag("retried", true)).line(.json)
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"time":"2026-12-07T09:30:00Z","level":"warning","message":"something happened","#
        + #""route":"/v1/","status":404,"retried":true}"# + "\n")
  }

  @Test("a text line quotes what varies")
  func text() {
    let line = record(.text("route", "a b"), .integer("status", -1)).line(.text)
    #expect(
      String(decoding: line, as: UTF8.self)
        == "2026-12-07T09:30:00Z warning something happened route=\"a b\" status=-1\n")
  }

  @Test("GW-110 a value with line breaks stays on one line in both formats")
  func oneLine() {
    for format in [LogRecord.Format.json, .text] {
      let line = record(.text("path", "/\r\n{\"level\":\"error\"}\u{85}\u{2028}")).line(format)
      #expect(line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
      #expect(line.last == UInt8(ascii: "\n"))
      #expect(!String(decoding: line, as: UTF8.self).contains("\u{85}"))
    }
  }

  @Test("an integer beyond 64 bits is clamped, not a crash")
  func clamps() {
    let line = String(decoding: record(.integer("n", UInt64.max)).line(.text), as: UTF8.self)
    #expect(line.hasSuffix("n=9223372036854775807\n"))
  }

  @Test("a logger writes records at its level and above, each as one line")
  func levels() throws {
    let pipe = Pipe()
    let logger = Logger(
      descriptor: pipe.fileHandleForWriting.fileDescriptor, level: .warning, format: .json, clock: FixedClock())
    logger.debug("a")
    logger.info("b")
    logger.warning("c")
    logger.error("d", .integer("n", 1))
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(
      text == #"{"time":"2026-12-07T09:30:00Z","level":"warning","message":"c"}"# + "\n"
        + #"{"time":"2026-12-07T09:30:00Z","level":"error","message":"d","n":1}"# + "\n")
    #expect(logger.writes(.error) && !logger.writes(.info))
  }
}
