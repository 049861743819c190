import GatewayBase
import Glibc

/// The three streams of a command. Blocking.
package enum StandardStream: Int32, Sendable {
  case input, output, error

  /// Why a stream took no more, or gave nothing.
  package struct Failure: Error, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// Gives those that the process was started without a place of their own: else what it opens next would get their
  /// numbers, and what is written to a stream would end up in a file or a connection.
  package static func occupyMissing() {
    for stream in [input, output, error] where fcntl(stream.rawValue, F_GETFD) < 0 {
      // The lowest free number is taken, and the lower ones are not free any more.
      _ = unsafe open("/dev/null", O_RDWR)
    }
  }

  /// Whether a person sits at it.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Writes all of a text.
  ///
  /// - Throws: where the stream is closed, or its disk full.
  package func write(_ text: String) throws(Failure) {
    guard WholeWrite.write(Array(text.utf8), to: rawValue) else {
      throw Failure(description: "can't write: \(unsafe String(cString: strerror(errno)))")
    }
  }

  /// Reads one line, without its line feed and the blanks around it.
  ///
  /// - Parameter limit: bytes; more are an error.
  package func readLine(limit: Int) throws(Failure) -> [UInt8] {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(rawValue, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw Failure(description: "can't read: \(unsafe String(cString: strerror(errno)))") }
      if count == 0 || byte == UInt8(ascii: "\n") { break }
      guard line.count < limit else { throw Failure(description: "the line is longer than \(limit) bytes") }
      line.append(byte)
    }
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    while let last = line.last, isBlank(last) { line.removeLast() }
    return Array(line.drop(while: isBlank))
  }
}
