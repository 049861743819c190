import CNghttp2
import GatewayBase

// Output: frames in the order that nghttp2 gives them, data straight from the owner.
extension HTTP2Machine {
  enum Filled {
    case data(Int, ends: Bool, trailersFollow: Bool)
    /// The owner has nothing now.
    case nothing
    case noRoom
    case gone
  }

  /// Moves frames into `out`.
  ///
  /// - Returns: whether more wait for room. Less than `Limits.http2LeastRoom` bytes of it may take nothing.
  package func takeOutput(into out: inout OutputSpan<UInt8>) -> Bool {
    unsafe out.withUnsafeMutableBufferPointer { buffer, count in
      unsafe output.value.open(buffer.baseAddress.map { unsafe $0 + count }, capacity: buffer.count - count)
      let moreWaits = drain()
      count += output.value.count
      output.value.close()
      return moreWaits
    }
  }

  private func drain() -> Bool {
    output.value.flushRest()
    while true {
      guard !output.value.hasRest else { return true }
      guard output.value.room >= Limits.http2LeastRoom else { return hasOutput }
      var frame: UnsafePointer<UInt8>?
      let count = unsafe nghttp2_session_mem_send(session, &frame)
      if count < 0 {
        end(HTTP2Session.reason(count))
        return false
      }
      if count == 0 { return output.value.wasHeldBack }
      unsafe output.value.put(frame, count)
    }
  }

  func fill(_ id: HTTP2StreamID, upTo limit: Int) -> Filled {
    guard let record = unsafe record(id) else { return .gone }
    guard var sink = output.value.sink(upTo: limit) else {
      output.value.wasHeldBack = true
      return .noRoom
    }
    let more = unsafe owner.fill(id, into: &sink)
    let count = sink.count
    if more == .more, count == 0 {
      unsafe record.pointee.isWaiting = true
      return .nothing
    }
    output.value.dataWasFilled(count)
    if count > 0 { meter.value.workWasDone() }
    return .data(count, ends: more != .more, trailersFollow: more == .endWithTrailers)
  }

  /// The last frame of our direction has gone.
  func endWasSent(_ id: HTTP2StreamID) {
    guard isIngress, let record = unsafe record(id), unsafe !record.pointee.hasEnded else { return }
    // The answer is whole: the rest of the request is not wanted (RFC 9113 section 8.1).
    unsafe record.pointee.isDiscarding = true
    reset(id, .noError)
  }

  func resetWasSent(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) {
    guard isIngress, code != .noError else { return }
    if let record = unsafe record(id), unsafe record.pointee.wasResetByOwner { return }
    if !meter.value.streamWasReset(at: now) { end(.flood) }
  }

  func goAwayWasSent(_ code: HTTP2ErrorCode) {
    goAwayPassed = true
    if code != .noError, endReason == nil { endReason = .protocolError }
  }
}

// Orders of the owner.
extension HTTP2Machine {
  private static let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)

  /// There is something to fill a stream with again. Harmless where it did not wait.
  package func resume(_ stream: HTTP2StreamID) {
    guard let record = unsafe record(stream), unsafe record.pointee.isWaiting else { return }
    unsafe record.pointee.isWaiting = false
    unsafe nghttp2_session_resume_data(session, stream.rawValue)
  }

  /// Ends a stream in both directions, for a reason of the owner's.
  package func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
    guard let record = unsafe record(stream) else { return }
    unsafe record.pointee.wasResetByOwner = true
    unsafe record.pointee.isDiscarding = true
    unsafe nghttp2_submit_rst_stream(session, Self.noFlags, stream.rawValue, code.rawValue)
  }

  /// Bytes that `dataCame` brought are used up: the peer may send as many more. Harmless after the stream's end, which
  /// credits what was left.
  package func credit(_ stream: HTTP2StreamID, _ count: Int) {
    guard let record = unsafe record(stream) else { return }
    let credited = unsafe min(max(count, 0), record.pointee.uncredited)
    guard credited > 0 else { return }
    unsafe record.pointee.uncredited -= credited
    unsafe nghttp2_session_consume(session, stream.rawValue, credited)
  }

  /// Keeps a word of the owner's with a stream.
  package func setTag(_ stream: HTTP2StreamID, _ tag: UInt64) { unsafe record(stream)?.pointee.tag = tag }

  /// The word that was kept; nil for a stream that is not open.
  package func tag(of stream: HTTP2StreamID) -> UInt64? { unsafe record(stream)?.pointee.tag }

  /// Begins a drain: the client learns that no new streams are wanted, but those that are on their way are still
  /// served (RFC 9113 section 6.8).
  package func beginGoAway() { unsafe nghttp2_submit_shutdown_notice(session) }

  /// Ends the drain's first part: streams that come from now on are not served. Those there are go on to their end.
  package func finishGoAway() {
    unsafe nghttp2_submit_goaway(
      session, Self.noFlags, nghttp2_session_get_last_proc_stream_id(session), HTTP2ErrorCode.noError.rawValue, nil, 0)
  }
}
