import CNghttp2
import GatewayBase

// What nghttp2 tells about frames that came.
extension HTTP2Machine {
  typealias Record = HTTP2StreamList.Record

  /// What is kept of a stream: mostly of the one that was asked for last.
  @inline(__always)
  func record(_ id: HTTP2StreamID) -> Record? {
    if let last = unsafe lastRecord, unsafe last.pointee.id == id { return unsafe last }
    return unsafe findRecord(id)
  }

  private func findRecord(_ id: HTTP2StreamID) -> Record? {
    if let record = unsafe nghttp2_session_get_stream_user_data(session, id.rawValue) {
      unsafe lastRecord = unsafe record.assumingMemoryBound(to: HTTP2StreamRecord.self)
      return unsafe lastRecord
    }
    // nghttp2 does not find a stream whose HEADERS wait to be sent.
    return unsafe isIngress ? nil : streams.value.find(id)
  }

  /// Whether the frame is to be read.
  func frameBegan(type: UInt8) -> Bool {
    frameData = 0
    if goAwayPassed, unsafe nghttp2_session_want_read(session) == 0 {
      // nghttp2 asks itself this only where a run of bytes begins: what is served must not depend on how they are cut.
      isSpent = true
      return false
    }
    switch UInt32(type) {
    case NGHTTP2_DATA.rawValue: break
    case NGHTTP2_HEADERS.rawValue: continuations = 0
    case NGHTTP2_CONTINUATION.rawValue:
      continuations += 1
      if continuations > Limits.http2Continuations { end(.flood) }
    default: if !meter.value.idleFrameCame(at: now) { end(.flood) }
    }
    return endReason == nil
  }

  func headersBegan(_ id: HTTP2StreamID) {
    releaseHead()
    var kind = isIngress ? HTTP2HeadBuilder.Kind.request : .response
    if let record = unsafe record(id) {
      if unsafe record.pointee.hasHead { kind = .trailers }
    } else if isIngress {
      let record = unsafe streams.value.add(HTTP2StreamRecord(id))
      unsafe nghttp2_session_set_stream_user_data(session, id.rawValue, record)
      meter.value.workWasDone()
    }
    let limit = kind == .trailers ? Limits.trailers : limits.maxHeader
    head.value = HTTP2HeadBuilder(kind, limit: limit, buffers)
  }

  func fieldCame(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
    if head.value?.take(name, value, buffers) == false { end(.headerListTooLarge) }
    return endReason == nil
  }

  func headersCame(_ id: HTTP2StreamID, endsStream: Bool) {
    guard var done = head.value.take() else { return }
    if let record = unsafe record(id) {
      if endsStream { unsafe record.pointee.hasEnded = true }
      if unsafe !record.pointee.isDiscarding {
        done.finish()
        unsafe listCame(record, done, endsStream)
      }
    }
    done.release(to: buffers)
  }

  private func listCame(_ record: Record, _ done: borrowing HTTP2HeadBuilder, _ endsStream: Bool) {
    switch done.kind {
    case .request: unsafe requestCame(record, done, endsStream)
    case .response: unsafe responseCame(record, done, endsStream)
    case .trailers: unsafe trailersCame(record, done, endsStream)
    }
  }

  private func requestCame(_ record: Record, _ done: borrowing HTTP2HeadBuilder, _ endsStream: Bool) {
    unsafe record.pointee.hasHead = true
    let id = unsafe record.pointee.id
    if let fault = done.fault {
      guard let refusal = fault.refusal else { return unsafe fail(record) }
      unsafe record.pointee.isKnown = true
      unsafe record.pointee.isDiscarding = true
      return unsafe owner.requestRefused(
        id, refusal, head: done.buffer.bytes(done.headRange), endsStream: endsStream)
    }
    unsafe record.pointee.remaining = done.declaredLength
    guard !endsStream || done.declaredLength ?? 0 == 0 else { return unsafe fail(record) }
    unsafe record.pointee.isKnown = true
    unsafe owner.requestBegan(
      id, head: done.buffer.bytes(done.headRange), endsStream: endsStream,
      hasLength: done.declaredLength != nil)
  }

  private func responseCame(
    _ record: Record, _ done: borrowing HTTP2HeadBuilder, _ endsStream: Bool
  ) {
    let isInterim = done.status < 200
    guard done.fault == nil, !(isInterim && endsStream) else { return unsafe fail(record) }
    if !isInterim {
      unsafe record.pointee.hasHead = true
      let hasNoBody = unsafe record.pointee.isForHead || done.status == 204 || done.status == 304
      unsafe record.pointee.remaining = hasNoBody ? 0 : done.declaredLength
      guard !endsStream || hasNoBody || done.declaredLength ?? 0 == 0 else {
        return unsafe fail(record)
      }
    }
    unsafe owner.responseHeadCame(
      record.pointee.id, head: done.buffer.bytes(done.headRange), endsStream: endsStream,
      hasLength: done.declaredLength != nil)
  }

  private func trailersCame(
    _ record: Record, _ done: borrowing HTTP2HeadBuilder, _ endsStream: Bool
  ) {
    // RFC 9113 section 8.1: trailers end the stream, and the body before them was whole.
    guard endsStream, done.fault == nil, unsafe record.pointee.remaining ?? 0 == 0 else {
      return unsafe fail(record)
    }
    let id = unsafe record.pointee.id
    unsafe owner.trailersCame(id, fields: done.buffer.bytes(done.headRange))
    unsafe owner.streamEnded(id)
  }

  func dataCame(_ id: HTTP2StreamID, _ bytes: Span<UInt8>) {
    frameData += bytes.count
    guard let record = unsafe record(id), unsafe !record.pointee.isDiscarding else {
      return discard(id, bytes.count)
    }
    guard unsafe record.pointee.hasHead, unsafe record.pointee.bodyCame(bytes.count) else {
      unsafe fail(record)
      return discard(id, bytes.count)
    }
    unsafe record.pointee.uncredited += bytes.count
    unsafe owner.dataCame(id, bytes)
  }

  func dataFrameCame(_ id: HTTP2StreamID, endsStream: Bool) {
    if frameData > 0 {
      meter.value.workWasDone()
    } else if !endsStream, !meter.value.idleFrameCame(at: now) {
      end(.flood)
    }
    guard endsStream, let record = unsafe record(id) else { return }
    unsafe record.pointee.hasEnded = true
    guard unsafe !record.pointee.isDiscarding else { return }
    guard unsafe record.pointee.hasHead, unsafe record.pointee.remaining ?? 0 == 0 else {
      return unsafe fail(record)
    }
    unsafe owner.streamEnded(id)
  }

  func resetCame(_ id: HTTP2StreamID) {
    // What is reset after its end was asked for and done: no waste. A backend may end an upload so.
    guard isIngress, unsafe record(id) != nil else { return }
    if !meter.value.streamWasReset(at: now) { end(.flood) }
  }

  func goAwayCame() { goAwayPassed = true }

  func streamClosed(_ id: HTTP2StreamID, _ error: HTTP2ErrorCode) {
    guard let record = unsafe record(id) else { return }
    // Its tag is good until the owner has heard of the end.
    if unsafe record.pointee.isKnown {
      unsafe owner.streamClosed(id, error: record.pointee.hasFailed ? .protocolError : error)
    }
    let uncredited = unsafe record.pointee.uncredited
    unsafe forget(record)
    if uncredited > 0 { unsafe nghttp2_session_consume_connection(session, uncredited) }
  }

  func forget(_ record: Record) {
    unsafe lastRecord = nil
    unsafe nghttp2_session_set_stream_user_data(session, record.pointee.id.rawValue, nil)
    unsafe streams.value.remove(record)
  }

  /// Gives bytes that nobody wants back to the windows.
  private func discard(_ id: HTTP2StreamID, _ count: Int) {
    unsafe nghttp2_session_consume(session, id.rawValue, count)
  }

  /// Resets a stream whose message is malformed (RFC 9113 section 8.1.1).
  private func fail(_ record: Record) {
    unsafe record.pointee.isDiscarding = true
    unsafe record.pointee.hasFailed = true
    unsafe nghttp2_submit_rst_stream(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), record.pointee.id.rawValue,
      HTTP2ErrorCode.protocolError.rawValue)
  }
}
