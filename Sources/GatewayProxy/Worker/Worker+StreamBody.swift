import GatewayBase
import GatewayHTTP
import GatewayIO

// What the streams of both sides share: bytes on their way out wait in the stream's output until the turn's end takes
// them, and bytes that came hold the window shut until they have left the input.
extension Worker {
  /// Puts bytes into a stream's output, as a socket would take them.
  func send(_ bytes: Span<UInt8>, on stream: inout HTTP2Stream?, _ output: inout ByteBlock?) -> Transfer {
    guard let known = stream, !known.isClosed, http2.contains(known.connection) else { return .ended }
    var out = output.take() ?? blocks.take()
    if out.room < bytes.count { out.compact() }
    let count = min(out.room, bytes.count)
    out.append(bytes.extracting(0..<count))
    output = consume out
    guard count > 0 else {
      stream?.isBlocked = true
      return .wouldBlock
    }
    http2[known.connection].link.machine.resume(known.id)
    list(known.connection)
    return .moved(count)
  }

  /// Moves what waits in a stream's output into a frame; whether all of it has left.
  func drain(_ output: inout ByteBlock?, into sink: inout HTTP2Sink) -> Bool {
    guard var out = output.take() else { return true }
    out.consume(sink.append(out.bytes))
    output = keep(out)
    return output == nil
  }

  /// The output of the stream is empty: where a send found no room, what feeds it goes on.
  func noteRoom(_ stream: inout HTTP2Stream?, of handle: Handle) {
    guard stream?.isBlocked ?? false else { return }
    stream?.isBlocked = false
    unblocked.value.append(handle)
  }

  /// Opens the window by what has left the input.
  ///
  /// - Parameter held: bytes that are still there; a head may be among them.
  func credit(_ stream: inout HTTP2Stream?, holding held: Int) {
    guard let known = stream, known.uncredited > held, http2.contains(known.connection) else { return }
    stream?.uncredited = held
    http2[known.connection].link.machine.credit(known.id, known.uncredited - held)
    list(known.connection)
  }

  /// Resets a stream that nobody here follows any more, unless it has ended.
  func reset(_ stream: HTTP2Stream?, _ code: HTTP2ErrorCode) {
    guard let stream, !stream.isClosed, http2.contains(stream.connection) else { return }
    http2[stream.connection].link.machine.setTag(stream.id, Handle.none.raw)
    http2[stream.connection].link.machine.reset(stream.id, code)
    list(stream.connection)
  }
}
