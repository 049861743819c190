/// One end of an HTTP/2 connection that keeps the rules of RFC 9113 as far as a test lets it, and sends any frame that
/// it is given. One thread uses it.
///
/// It acknowledges SETTINGS and PING, gives back what it received to the windows by halves of them, and keeps what came
/// of each stream.
package final class HTTP2Session {
  /// What came of one stream.
  struct Stream {
    /// Lists of fields that came, in order.
    var heads: [[(name: String, value: String)]] = []
    /// Bytes of its body that nobody has taken.
    var body: [UInt8] = []
    /// Bytes of its body so far.
    var bodyBytes = 0
    var isEnded = false
    /// The code of its reset.
    var reset: UInt32?
    /// Bytes that may still be sent on it.
    var window: Int
    /// Bytes that came and are not given back to the peer's window.
    var owed = 0
  }

  /// Of RFC 9113 section 6.9.2.
  private static let defaultWindow = 65_535

  private let wire: any TestWire
  private let seconds: Double
  private let inflater: HTTP2Inflater
  private var input: [UInt8] = []
  private var block: [UInt8] = []
  private var initialWindow = HTTP2Session.defaultWindow
  private var connectionWindow = HTTP2Session.defaultWindow
  /// Bytes that came on all streams and are not given back to the peer's window.
  private var owed = 0
  /// The window of each stream that the peer sends on.
  private let ownWindow: Int
  var streams: [Int32: Stream] = [:]
  /// Streams that the peer opened, in order, and that nobody has taken.
  var opened: [Int32] = []
  private var nextStream: Int32 = 1
  /// Every frame that came, those with data without it.
  package private(set) var frames: [HTTP2Frame] = []
  /// Whether the peer has said GOAWAY.
  private(set) var peerIsLeaving = false
  /// Whether the peer gets back what it has sent: a test may let it run into its windows.
  package var opensWindows = true

  /// Begins as a client: sends the preface and SETTINGS.
  ///
  /// - Parameters:
  ///   - wire: agreed on HTTP/2.
  ///   - settings: what to tell the peer.
  ///   - seconds: how long each call may wait.
  package init(
    client wire: any TestWire, settings: [(id: UInt16, value: UInt32)] = [], seconds: Double = Patience.seconds
  ) throws {
    self.wire = wire
    self.seconds = seconds
    inflater = try HTTP2Inflater()
    ownWindow = settings.last { $0.id == 4 }.map { Int($0.value) } ?? Self.defaultWindow
    try send(HTTP2Frame.preface + HTTP2Frame.settings(settings).bytes)
  }

  /// Begins as a backend: takes the client's preface and sends SETTINGS.
  init(backend wire: any TestWire, settings: [(id: UInt16, value: UInt32)], seconds: Double) throws {
    self.wire = wire
    self.seconds = seconds
    inflater = try HTTP2Inflater()
    ownWindow = settings.last { $0.id == 4 }.map { Int($0.value) } ?? Self.defaultWindow
    try send(HTTP2Frame.settings(settings).bytes)
    while input.count < HTTP2Frame.preface.count { try fill() }
    guard input.starts(with: HTTP2Frame.preface) else { throw TestFailure("a connection that is not HTTP/2") }
    input.removeFirst(HTTP2Frame.preface.count)
  }

  package func close() { wire.close() }
  package func reset() { wire.reset() }
  package func finishSending() { wire.finishSending() }

  // MARK: Frames

  package func send(_ frame: HTTP2Frame) throws { try send(frame.bytes) }

  package func send(_ frames: [HTTP2Frame]) throws { try send(frames.flatMap(\.bytes)) }

  /// Sends bytes as they are.
  package func send(_ bytes: [UInt8]) throws { try wire.send(bytes, deadline: Deadline(seconds: seconds)) }

  /// Waits until a frame that `isWanted` accepts has come, be it long ago.
  ///
  /// - Throws: `PeerClosed` where the connection ends before.
  @discardableResult
  package func wait(for isWanted: (HTTP2Frame) -> Bool) throws -> HTTP2Frame {
    var seen = 0
    while true {
      while seen < frames.count {
        if isWanted(frames[seen]) { return frames[seen] }
        seen += 1
      }
      try step()
    }
  }

  /// Waits for the peer's GOAWAY with an error, or its last one without, and returns its code.
  package func goAwayCode() throws -> UInt32 {
    try wait { $0.type == HTTP2Frame.Kind.goAway && ($0.number(at: 0) != 0x7FFF_FFFF || $0.number(at: 4) != 0) }
      .number(at: 4)
  }

  /// Waits for the reset of a stream and returns its code.
  package func resetCode(of stream: Int32) throws -> UInt32 {
    try wait { $0.type == HTTP2Frame.Kind.reset && $0.stream == stream }.number(at: 0)
  }

  /// Whether the peer closes the connection, whatever it sends before.
  package func isClosed() -> Bool {
    do {
      while true { try step() }
    } catch {
      return error is PeerClosed
    }
  }

  /// Takes the next frame in, waiting for it.
  ///
  /// - Throws: `PeerClosed` at the end of the connection.
  func step(deadline: Deadline? = nil) throws {
    while true {
      if let frame = HTTP2Frame.take(from: &input) {
        // Bodies are kept with their streams.
        frames.append(
          frame.type == HTTP2Frame.Kind.data ? HTTP2Frame(frame.type, flags: frame.flags, stream: frame.stream) : frame)
        return try take(frame)
      }
      try fill(deadline: deadline)
    }
  }

  private func fill(deadline: Deadline? = nil) throws {
    let bytes = try wire.receive(deadline: deadline ?? Deadline(seconds: seconds))
    guard !bytes.isEmpty else { throw PeerClosed() }
    input += bytes
  }

  private func take(_ frame: HTTP2Frame) throws {
    switch frame.type {
    case HTTP2Frame.Kind.headers, HTTP2Frame.Kind.continuation: try takeHeaders(frame)
    case HTTP2Frame.Kind.data: try takeData(frame)
    case HTTP2Frame.Kind.reset: streams[frame.stream]?.reset = frame.number(at: 0)
    case HTTP2Frame.Kind.settings where !frame.has(HTTP2Frame.acknowledgement):
      takeSettings(frame)
      try send(HTTP2Frame.settingsAcknowledged)
    case HTTP2Frame.Kind.ping where !frame.has(HTTP2Frame.acknowledgement):
      try send(HTTP2Frame(HTTP2Frame.Kind.ping, flags: HTTP2Frame.acknowledgement, frame.payload))
    case HTTP2Frame.Kind.windowUpdate:
      let count = Int(frame.number(at: 0))
      if frame.stream == 0 { connectionWindow += count } else { streams[frame.stream]?.window += count }
    case HTTP2Frame.Kind.goAway: peerIsLeaving = true
    default: break
    }
  }

  private func takeSettings(_ frame: HTTP2Frame) {
    for entry in 0..<(frame.payload.count / 6) where frame.payload[entry * 6 + 1] == 4 {
      let window = Int(frame.number(at: entry * 6 + 2))
      for stream in streams.keys { streams[stream]?.window += window - initialWindow }
      initialWindow = window
    }
  }

  private func takeHeaders(_ frame: HTTP2Frame) throws {
    if streams[frame.stream] == nil {
      streams[frame.stream] = Stream(window: initialWindow)
      opened.append(frame.stream)
    }
    var fragment = frame.payload[...]
    if frame.type == HTTP2Frame.Kind.headers {
      if frame.has(HTTP2Frame.padded) { fragment = fragment.dropFirst().dropLast(Int(frame.payload.first ?? 0)) }
      if frame.has(HTTP2Frame.priorityFlag) { fragment = fragment.dropFirst(5) }
      if frame.has(HTTP2Frame.endStream) { streams[frame.stream]?.isEnded = true }
    }
    block += fragment
    guard frame.has(HTTP2Frame.endHeaders) else { return }
    streams[frame.stream]?.heads.append(try inflater.inflate(block))
    block = []
  }

  private func takeData(_ frame: HTTP2Frame) throws {
    var bytes = frame.payload[...]
    if frame.has(HTTP2Frame.padded) { bytes = bytes.dropFirst().dropLast(Int(frame.payload.first ?? 0)) }
    streams[frame.stream]?.body += bytes
    streams[frame.stream]?.bodyBytes += bytes.count
    if frame.has(HTTP2Frame.endStream) { streams[frame.stream]?.isEnded = true }
    if opensWindows { try giveBack(frame.payload.count, of: frame.stream) }
  }

  /// Opens the peer's windows again once half of one is used up: were each frame's size given back at once, the frames
  /// that follow would get ever smaller.
  private func giveBack(_ count: Int, of stream: Int32) throws {
    var updates: [HTTP2Frame] = []
    owed += count
    if owed > Self.defaultWindow / 2 {
      updates.append(.windowUpdate(0, UInt32(owed)))
      owed = 0
    }
    if var state = streams.removeValue(forKey: stream) {
      state.owed += count
      if !state.isEnded, state.owed > ownWindow / 2 {
        updates.append(.windowUpdate(stream, UInt32(state.owed)))
        state.owed = 0
      }
      streams[stream] = state
    }
    // The peer may be gone after its last frame.
    do { try send(updates) } catch is PeerClosed {}
  }

  // MARK: Sending within the windows

  /// Takes the number of a new stream.
  func openStream() -> Int32 {
    defer { nextStream += 2 }
    streams[nextStream] = Stream(window: initialWindow)
    return nextStream
  }

  /// Sends a body's bytes as the peer's windows open.
  ///
  /// - Returns: whether all were sent; false where the peer has reset the stream or ended the connection.
  @discardableResult
  package func sendData(_ stream: Int32, _ bytes: [UInt8], ends: Bool) throws -> Bool {
    var rest = bytes[...]
    repeat {
      guard let state = streams[stream], state.reset == nil else { return false }
      let count = min(rest.count, connectionWindow, state.window, 16_384)
      if count <= 0, !rest.isEmpty {
        try step()
        continue
      }
      let isLast = count == rest.count
      try send(HTTP2Frame.data(stream, Array(rest.prefix(count)), ends: ends && isLast))
      rest = rest.dropFirst(count)
      connectionWindow -= count
      streams[stream]?.window -= count
    } while !rest.isEmpty
    return true
  }
}
