import GatewayBase
import GatewayHTTP
import GatewayIO

/// The log of requests: which of them get a line, and where it goes.
package struct AccessLog: Sendable {
  package enum Selection: Sendable, Equatable {
    case all
    /// One in so many, and every one that failed on this side of the client: a status of 500 or above, or no answer.
    /// Refusals of the client's doing are sampled like the rest, or strangers could fill the disk.
    case sampled(oneIn: UInt64)
  }

  package let lines: LineLog
  package let selection: Selection

  package init(lines: LineLog, selection: Selection) {
    self.lines = lines
    self.selection = selection
  }

  /// A part of lines that comes from the configuration, made once: a comma, the name, the value.
  static func member(_ name: StaticString, _ value: String) -> [UInt8] {
    Array(",\"\(name)\":\(JSONText.quoted(value))".utf8)
  }

  /// - Parameter turn: how many requests the loop has ended.
  func takes(status: UInt16, turn: UInt64) -> Bool {
    switch selection {
    case .all: true
    case .sampled(let interval): status == 0 || status >= 500 || turn % interval == 0
    }
  }
}

/// The wall clock as the access log writes it, with milliseconds: what a second's lines share is written once.
struct TimeText {
  private var second = Int64.min
  private var text: [UInt8] = []

  mutating func append(_ time: UnixTime, to block: inout ByteBlock) {
    if time.seconds != second {
      second = time.seconds
      text = Array(time.rfc3339.utf8.dropLast())
    }
    block.append(text)
    block.append(".")
    block.append(threeDigits: UInt64(max(0, time.milliseconds - second * 1000)))
    block.append("Z")
  }
}

// What log lines are made of. All of it is ASCII, whatever was received.
extension ByteBlock {
  /// Appends bytes inside a JSON string. What could end the string, split the line or disguise it in a viewer (controls,
  /// everything beyond ASCII) goes as `%XX`, which is also what it would be in a URL; nothing is ever decoded.
  ///
  /// - Parameter limit: bytes after which the text is cut, and ends in `...`.
  mutating func append(logged bytes: Span<UInt8>, limit: Int) {
    let end = self.count + limit
    var index = 0
    while index < bytes.count {
      let clean = bytes.firstNotPlain(from: index)
      let run = min(clean - index, end - self.count)
      append(bytes.extracting(index..<(index + run)))
      index += run
      guard index < bytes.count else { return }
      guard index == clean, self.count + 3 <= end else { return append("...") }
      append("%")
      append(Hex.digit(bytes[index] >> 4))
      append(Hex.digit(bytes[index] & 0xF))
      index += 1
    }
  }

  /// The same, for a canonical path.
  mutating func append(logged target: borrowing TargetBuffer, limit: Int) {
    append(logged: target.path, limit: limit)
  }

  /// The same, for a text.
  mutating func append(logged text: String, limit: Int) {
    append(logged: text.utf8Span.span, limit: limit)
  }

  /// Appends microseconds as milliseconds with three decimals.
  mutating func append(milliseconds microseconds: UInt64) {
    append(decimal: microseconds / 1000)
    append(".")
    append(threeDigits: microseconds % 1000)
  }

  fileprivate mutating func append(threeDigits number: UInt64) {
    append(0x30 + UInt8(truncatingIfNeeded: number / 100 % 10))
    append(0x30 + UInt8(truncatingIfNeeded: number / 10 % 10))
    append(0x30 + UInt8(truncatingIfNeeded: number % 10))
  }
}
