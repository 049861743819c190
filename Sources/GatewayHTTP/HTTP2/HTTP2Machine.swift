import CNghttp2
import GatewayBase

/// What a peer may send.
package struct HTTP2Limits: Sendable {
  /// Bytes of a head in HTTP/1.1 form.
  package let maxHeader: Int

  package init(maxHeader: Int) { self.maxHeader = min(maxHeader, Limits.requestHeadCeiling) }
}

/// Why a connection must end.
package enum HTTP2End: Sendable, Equatable {
  /// The peer's first bytes are not those of HTTP/2 (RFC 9113 section 3.4).
  case badPreface
  /// The peer asks for work that moves nothing, or resets streams, beyond a budget.
  case flood
  /// A list of fields is larger than anything sensible.
  case headerListTooLarge
  /// A connection error of RFC 9113 section 5.4.1.
  case protocolError
}

package enum HTTP2Verdict: Sendable, Equatable {
  case ok
  /// Output that is left (a GOAWAY) is to be flushed, and the connection closed. Nothing that comes later is looked at.
  case end(HTTP2End)
}

/// One HTTP/2 connection (RFC 9113): bytes in, events out, no socket.
///
/// What is changed for each field or frame is pinned, as nghttp2 calls back for each of them.
///
/// Ingress speaks with clients, egress with backends. A machine belongs to one loop. Its owner is not retained: he
/// outlives the machine or calls `tearDown` before he goes.
@safe package final class HTTP2Machine {
  package enum Role: Sendable {
    case ingress(HTTP2Limits)
    case egress(HTTP2Limits)
  }

  let session: OpaquePointer
  let isIngress: Bool
  let limits: HTTP2Limits
  let buffers: HTTP2Buffers
  unowned(unsafe) let owner: any HTTP2Owner
  let streams = Pinned(HTTP2StreamList())
  /// The stream that was asked for last.
  var lastRecord: HTTP2StreamList.Record?
  let meter = Pinned(HTTP2FloodMeter())
  /// The list of fields that is being read.
  let head = Pinned<HTTP2HeadBuilder?>(nil)
  let output = Pinned(HTTP2Output())
  /// Milliseconds of the loop's clock when bytes last came.
  var now: UInt64 = 0
  /// CONTINUATION frames of the list of fields that is being read.
  var continuations = 0
  /// Bytes of data in the frame that is being read.
  var frameData = 0
  var endReason: HTTP2End?
  /// Whether a GOAWAY went either way.
  var goAwayPassed = false
  /// Whether the last stream after a GOAWAY has ended, so that nothing more is read.
  var isSpent = false
  private var isTornDown = false

  /// Begins a connection: its SETTINGS wait to be taken.
  package init(_ role: Role, owner: any HTTP2Owner, buffers: HTTP2Buffers) {
    switch role {
    case .ingress(let limits): (isIngress, self.limits) = (true, limits)
    case .egress(let limits): (isIngress, self.limits) = (false, limits)
    }
    unsafe self.owner = owner
    self.buffers = buffers
    var session: OpaquePointer?
    let (callbacks, options) = (HTTP2Session.callbacks, HTTP2Session.options)
    // `buffers` outlives the session, which `deinit` ends.
    var memory = unsafe buffers.memory.functions
    let made =
      unsafe isIngress
      ? nghttp2_session_server_new3(&session, callbacks.pointer, nil, options.pointer, &memory)
      : nghttp2_session_client_new3(&session, callbacks.pointer, nil, options.pointer, &memory)
    guard made == 0, let session = unsafe session else { fatalError("out of memory for HTTP/2") }
    unsafe self.session = unsafe session
    unsafe nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    submitSettings()
  }

  deinit {
    releaseHead()
    unsafe nghttp2_session_del(session)
  }

  /// Takes bytes that came, all of them.
  ///
  /// - Parameter now: milliseconds of the loop's clock, for the budgets against floods.
  package func receive(_ bytes: Span<UInt8>, now: UInt64) -> HTTP2Verdict {
    if let endReason { return .end(endReason) }
    guard !isTornDown else { return .end(.protocolError) }
    guard !isSpent else { return .ok }
    self.now = now
    let result = unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let address = buffer.baseAddress else { return 0 }
      return unsafe nghttp2_session_mem_recv(session, address, buffer.count)
    }
    if result < 0, !isSpent { end(HTTP2Session.reason(result)) }
    if unsafe nghttp2_session_get_outbound_queue_size(session) > Limits.http2QueuedFrames { end(.flood) }
    if let endReason { return .end(endReason) }
    return .ok
  }

  /// Whether frames wait to be taken.
  package var hasOutput: Bool { unsafe output.value.hasRest || nghttp2_session_want_write(session) != 0 }

  /// Whether the connection has served its time: it failed, or a GOAWAY went either way and no stream is left. It is
  /// to be closed once the output is flushed.
  package var isDone: Bool {
    unsafe !hasOutput && (endReason != nil || nghttp2_session_want_read(session) == 0)
  }

  /// Streams that are not closed.
  package var openStreams: Int { streams.value.count }

  /// Ends the machine with its connection: the owner hears of the end of each stream that is left, and of nothing
  /// afterwards.
  package func tearDown(_ error: HTTP2ErrorCode) {
    guard !isTornDown else { return }
    isTornDown = true
    // nghttp2 does not tell of streams that end with their session.
    while let record = unsafe streams.value.first {
      if unsafe record.pointee.isKnown { unsafe owner.streamClosed(record.pointee.id, error: error) }
      unsafe forget(record)
    }
  }

  /// Stops the connection: a GOAWAY with the reason is queued, and nothing more is read.
  func end(_ reason: HTTP2End) {
    guard endReason == nil else { return }
    endReason = reason
    let code: HTTP2ErrorCode = reason == .flood || reason == .headerListTooLarge ? .enhanceYourCalm : .protocolError
    unsafe nghttp2_session_terminate_session(session, code.rawValue)
  }

  func releaseHead() {
    if let unfinished = head.value.take() { unfinished.release(to: buffers) }
  }

  private func submitSettings() {
    var settings = [
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
        value: isIngress ? UInt32(Limits.http2Streams) : 0),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), value: UInt32(limits.maxHeader)),
    ]
    settings.append(
      isIngress
        // Priorities are ignored (RFC 9218 section 2.1): a tree of them is work that a client could ask for.
        ? nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue), value: 1)
        : nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0))
    unsafe nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
    unsafe nghttp2_session_set_local_window_size(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Int32(Limits.http2ConnectionWindow))
  }
}
