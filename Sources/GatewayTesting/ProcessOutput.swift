import GatewayIO
import Glibc

/// Reads the two output streams of a process as they come.
final class ProcessOutput: Sendable {
  enum Stream: Sendable { case output, error }

  private struct Captured: Sendable {
    var output: [UInt8] = []
    var error: [UInt8] = []
    var lines: [String] = []
    var openStreams = 2
  }

  private let captured = Monitor(Captured())

  init(_ output: Pipe, _ error: Pipe) {
    follow(output, .output)
    follow(error, .error)
  }

  private func follow(_ pipe: Pipe, _ stream: Stream) {
    Thread.start(name: "test-output") { [captured] in
      var partial: [UInt8] = []
      while let piece = Descriptor.read(pipe.readEnd, atMost: 65_536), !piece.isEmpty {
        partial += piece
        let pieces = partial.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        partial = Array(pieces.last ?? [])
        let lines = pieces.dropLast().map { String(decoding: $0, as: UTF8.self) }
        captured.change {
          $0.lines += lines
          if stream == .output { $0.output += piece } else { $0.error += piece }
        }
      }
      let last = partial
      captured.change {
        if !last.isEmpty { $0.lines.append(String(decoding: last, as: UTF8.self)) }
        $0.openStreams -= 1
      }
    }
  }

  var lines: [String] { captured.current.lines }

  func text(_ stream: Stream) -> String {
    let captured = captured.current
    return String(decoding: stream == .output ? captured.output : captured.error, as: UTF8.self)
  }

  func waitForEnd() { _ = captured.wait { $0.openStreams == 0 ? true : nil } }

  func waitForLine<Found>(seconds: Double, _ find: (String) -> Found?) -> Found? {
    var looked = 0
    let found = captured.wait(seconds: seconds) { captured -> Found?? in
      while looked < captured.lines.count {
        defer { looked += 1 }
        if let found = find(captured.lines[looked]) { return found }
      }
      // No line can come from a process that has closed both streams.
      return captured.openStreams == 0 ? .some(nil) : nil
    }
    return found ?? nil
  }
}
