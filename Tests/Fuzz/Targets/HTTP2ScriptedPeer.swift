import GatewayBase
import GatewayHTTP

func checkConnection(_ bytes: [UInt8], isIngress: Bool) throws(BrokenProperty) {
  guard bytes.count >= 2 else { return }
  let choices = Array(bytes.dropFirst(2).prefix(Int(bytes[1] & 15)))
  let records = bytes.dropFirst(2 + choices.count)
  let wire = HTTP2FrameScript(records, greeting: bytes[0] & 1 == 0 ? .none : isIngress ? .client : .backend).wire
  let peer = ScriptedPeer(wire: wire, choices: choices, isIngress: isIngress)
  let whole = try peer.run(every: max(wire.count, 1), isInteractive: false)
  for step in [1, 11] {
    let cut = try peer.run(every: step, isInteractive: false)
    try expect(cut == whole, "events do not depend on cuts of \(step): \(cut), not \(whole)")
  }
  // With output taken in between, as on a socket, the order of events may differ, but each rule of them holds.
  _ = try peer.run(every: 64, isInteractive: true)
}

private struct Outcome: Equatable {
  var events: [HTTP2ScriptedOwner.Event]
  var verdict: HTTP2Verdict
}

private struct ScriptedPeer {
  let wire: [UInt8]
  let choices: [UInt8]
  let isIngress: Bool

  func run(every step: Int, isInteractive: Bool) throws(BrokenProperty) -> Outcome {
    let owner = HTTP2ScriptedOwner(choices, isIngress: isIngress)
    let role: HTTP2Machine.Role =
      isIngress
      ? .ingress(HTTP2Limits(maxHeader: Limits.requestHead)) : .egress(HTTP2Limits(maxHeader: Limits.responseHead))
    let machine = HTTP2Machine(role, owner: owner, buffers: HTTP2Buffers())
    owner.machine = machine
    var reader = HTTP2OutputReader(hasPreface: !isIngress)
    if !isIngress {
      owner.submitRequests()
      try takeOutput(machine, &reader, room: 65_536)
    }
    var verdict = HTTP2Verdict.ok
    var position = 0
    var now: UInt64 = 0
    for end in cuts(wire.count, every: step) {
      verdict = machine.receive(wire.span.extracting(position..<end), now: now)
      position = end
      if isInteractive {
        now += 10
        try takeOutput(machine, &reader, room: 1024 + Int(choices.first ?? 0) * 64)
        owner.goOn()
      }
      try expect(machine.openStreams <= Limits.http2Streams + 1, "streams are within their limit")
      if verdict != .ok { break }
    }
    try takeOutput(machine, &reader, room: 65_536)
    machine.tearDown(.cancel)
    try expect(machine.openStreams == 0, "nothing is left of a machine that was torn down")
    try expect(reader.isAtFrameEnd || verdict != .ok || isInteractive, "output ends with a frame")
    let told = owner.events.count
    _ = machine.receive(wire.span, now: now)
    try expect(owner.events.count == told, "a machine that was torn down tells nothing")
    if let broken = owner.broken { throw broken }
    try expect(owner.open.isEmpty, "the end of each stream is told")
    return Outcome(events: owner.events, verdict: verdict)
  }

  private func takeOutput(
    _ machine: HTTP2Machine, _ reader: inout HTTP2OutputReader, room: Int
  ) throws(BrokenProperty) {
    for _ in 0..<2000 {
      var more = false
      let part = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        var out = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        more = machine.takeOutput(into: &out)
        count = unsafe out.finalize(for: buffer)
      }
      try expect(part.count <= room, "output keeps to its room")
      try reader.take(part)
      guard more else { return }
    }
    throw BrokenProperty(description: "output ends")
  }
}
