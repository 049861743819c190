import GatewayHTTP

/// The frames of one direction of a WebSocket.
func fuzzWebSocketFrames(_ bytes: [UInt8]) throws(BrokenProperty) {
  let ends = frameEnds(bytes)
  for step in [1, 3, 17, max(bytes.count, 1)] {
    var frames = WebSocketFrames()
    var position = 0
    for end in cuts(bytes.count, every: step) where end > position {
      frames.pass(bytes.span.extracting(position..<end))
      position = end
      try expect(
        frames.isBetweenFrames == ends.contains(end), "a frame ends where its head says, with cuts of \(step)")
      let rest = frames.rest(in: bytes.span.extracting(end...))
      let next = frames.isBetweenFrames ? end : ends.filter { $0 > end }.min() ?? bytes.count
      try expect(end + rest == next, "what is left of a frame reaches to its end, with cuts of \(step)")
    }
  }
}

/// Where frames end, each taken as a whole (RFC 6455 section 5.2).
private func frameEnds(_ bytes: [UInt8]) -> Set<Int> {
  var ends: Set<Int> = []
  var start = 0
  while bytes.count - start >= 2 {
    let short = bytes[start + 1] & 0x7F
    let extra = short == 126 ? 2 : short == 127 ? 8 : 0
    let head = start + 2 + extra + (bytes[start + 1] & 0x80 != 0 ? 4 : 0)
    guard head <= bytes.count else { break }
    let length =
      extra == 0 ? UInt64(short) : bytes[(start + 2)..<(start + 2 + extra)].reduce(0) { $0 << 8 | UInt64($1) }
    guard length <= UInt64(bytes.count - head) else { break }
    start = head + Int(length)
    ends.insert(start)
  }
  return ends
}
