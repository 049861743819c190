import GatewayBase
import GatewayHTTP

/// An owner that answers, credits, waits and resets as a row of choices says, and checks what it is told.
final class HTTP2ScriptedOwner: HTTP2Owner {
  enum Event: Equatable {
    case request(Int32, [UInt8], ends: Bool)
    case refused(Int32, UInt16, ends: Bool)
    case response(Int32, [UInt8], ends: Bool)
    case trailers(Int32, [UInt8])
    /// With the body: how it is cut is not the machine's to choose, nor how much comes of one that is reset.
    case ended(Int32, body: [UInt8])
    case closed(Int32, UInt32)
  }

  unowned var machine: HTTP2Machine!
  var events: [Event] = []
  /// The first rule that was broken.
  private(set) var broken: BrokenProperty?
  /// Streams that were told of and are not closed, each with whether the peer has ended.
  var open: [HTTP2StreamID: Bool] = [:]

  let isIngress: Bool
  private let choices: [UInt8]
  private var next = 0
  private var received: [HTTP2StreamID: [UInt8]] = [:]
  private var owed: [HTTP2StreamID: Int] = [:]
  var bodies: [HTTP2StreamID: Int] = [:]
  private var waiting: [HTTP2StreamID] = []
  /// Streams of which only the end may be told: refused ones, and requests that have no answer yet.
  var silent: Set<HTTP2StreamID> = []
  private var seen: Set<HTTP2StreamID> = []

  /// - Parameter isIngress: whether the peer is a client; else it is a backend.
  init(_ choices: [UInt8], isIngress: Bool) {
    self.choices = choices.isEmpty ? [0] : choices
    self.isIngress = isIngress
  }

  private func choose() -> UInt8 {
    defer { next += 1 }
    return choices[next % choices.count]
  }

  func rule(_ holds: Bool, _ property: @autoclosure () -> String) {
    if !holds, broken == nil { broken = BrokenProperty(description: property()) }
  }

  func begin(_ stream: HTTP2StreamID, _ endsStream: Bool) {
    rule(seen.insert(stream).inserted && stream.rawValue % 2 == 1, "a stream begins once, with an odd number")
    open[stream] = endsStream
  }

  func dataCame(_ stream: HTTP2StreamID, _ bytes: Span<UInt8>) {
    checkRunning(stream)
    owed[stream, default: 0] += bytes.count
    rule(owed[stream, default: 0] <= Limits.http2StreamWindow, "data keeps to the window")
    received[stream, default: []] += Array<UInt8>(bytes)
  }

  private func checkRunning(_ stream: HTTP2StreamID) {
    rule(open[stream] == false && !silent.contains(stream), "a body comes between a head and its end")
  }

  func trailersCame(_ stream: HTTP2StreamID, fields: Span<UInt8>) {
    checkRunning(stream)
    events.append(.trailers(stream.rawValue, Array<UInt8>(fields)))
    let lines = (Array<UInt8>(fields) + crlf).headLines
    rule(fields.count <= Limits.trailers, "trailers are within their limit")
    rule(lines.flatMap { plainFields($0[...]) } != nil, "trailers are lines with colons")
  }

  func streamEnded(_ stream: HTTP2StreamID) {
    checkRunning(stream)
    events.append(.ended(stream.rawValue, body: received[stream] ?? []))
    open[stream] = true
    if choose() & 1 == 0 { act(stream) }
  }

  func streamClosed(_ stream: HTTP2StreamID, error: HTTP2ErrorCode) {
    events.append(.closed(stream.rawValue, error.rawValue))
    rule(open.removeValue(forKey: stream) != nil, "a stream is closed once")
    // The stream is still known to the machine: orders for it must do no harm.
    act(stream)
    owed[stream] = nil
  }

  func fill(_ stream: HTTP2StreamID, into out: inout HTTP2Sink) -> HTTP2Fill {
    rule(open[stream] != nil, "a body is asked for while its stream is open")
    let left = bodies[stream] ?? 0
    let wanted = min(left, 1 + Int(choose()) * 32)
    let taken = out.append(Array(repeating: UInt8(ascii: "b"), count: wanted).span)
    bodies[stream] = left - taken
    guard left == taken else {
      if wanted % 3 == 0 { waiting.append(stream) }
      return .more
    }
    guard choose() & 1 == 0 else { return .end }
    machine.submitTrailers(stream, fields: Array("x-t: 1\r\n".utf8).span)
    return .endWithTrailers
  }

  /// What a choice does with a stream, at any time.
  func act(_ stream: HTTP2StreamID) {
    let choice = choose()
    switch choice & 7 {
    case 0: break
    case 1, 2, 3, 4: if isIngress { answer(stream, choice) }
    case 5: machine.reset(stream, .cancel)
    case 6: machine.credit(stream, owed.removeValue(forKey: stream) ?? Int(choice))
    default: choice & 8 == 0 ? machine.beginGoAway() : machine.finishGoAway()
    }
  }

  /// What happens between two runs of bytes: credits, and bodies that go on.
  func goOn() {
    for stream in waiting { machine.resume(stream) }
    waiting = []
    for stream in open.keys.sorted(by: { $0.rawValue < $1.rawValue }) { act(stream) }
  }
}
