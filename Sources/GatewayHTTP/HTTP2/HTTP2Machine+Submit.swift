import CNghttp2
import GatewayBase

package enum HTTP2Scheme: Sendable {
  case http
  case https

  var text: StaticString {
    switch self {
    case .http: "http"
    case .https: "https"
    }
  }
}

// Heads and trailers that go out, given in HTTP/1.1 form.
extension HTTP2Machine {
  /// Sends the head of an answer.
  ///
  /// Lines that belong to a connection of HTTP/1.1 are left out.
  /// - Parameter endsStream: there is no body. Meaningless for an interim answer (1xx), which never ends a stream.
  package func submitResponse(_ stream: HTTP2StreamID, head: Span<UInt8>, endsStream: Bool) {
    guard head.count > 12 else { return }
    let isInterim = head[9] == UInt8(ascii: "1")
    unsafe head.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      unsafe buffers.fields.value.removeAll(keepingCapacity: true)
      unsafe addField(":status", base + 9, 3)
      unsafe addLines(head, base)
      if isInterim {
        unsafe nghttp2_submit_headers(
          session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.rawValue, nil, buffers.fields.value,
          buffers.fields.value.count, nil)
      } else {
        unsafe cnghttp2_submit_response(
          session, stream.rawValue, buffers.fields.value, buffers.fields.value.count,
          endsStream ? nil : HTTP2Callbacks.readData)
      }
    }
  }

  /// Sends a request to a backend.
  ///
  /// - Parameters:
  ///   - sendsTrailers: says `te: trailers`, as gRPC wants it.
  ///   - tag: kept with the stream.
  /// - Returns: nil where the backend takes no more streams on this connection now, or the head has no first line.
  package func submitRequest(
    head: Span<UInt8>, scheme: HTTP2Scheme, sendsTrailers: Bool, endsStream: Bool, tag: UInt64
  ) -> HTTP2StreamID? {
    guard peerAllows > 0, let line = RequestLineParts(head) else { return nil }
    let id = unsafe HTTP2StreamID(Int32(bitPattern: nghttp2_session_get_next_stream_id(session)))
    let record = unsafe streams.value.add(HTTP2StreamRecord(id))
    unsafe record.pointee.tag = tag
    unsafe record.pointee.isKnown = true
    unsafe record.pointee.isForHead = HTTPMethod.known(head, line.method) == .head
    let submitted = unsafe head.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return Int32(-1) }
      unsafe buffers.fields.value.removeAll(keepingCapacity: true)
      unsafe addField(":method", base + line.method.lowerBound, line.method.count)
      unsafe addField(":scheme", scheme.text.utf8Start, scheme.text.utf8CodeUnitCount)
      unsafe addField(":path", base + line.target.lowerBound, line.target.count)
      if let host = line.host { unsafe addField(":authority", base + host.lowerBound, host.count) }
      unsafe addLines(head, base)
      let trailers: StaticString = "trailers"
      if sendsTrailers { unsafe addField("te", trailers.utf8Start, trailers.utf8CodeUnitCount) }
      return unsafe cnghttp2_submit_request(
        session, buffers.fields.value, buffers.fields.value.count, endsStream ? nil : HTTP2Callbacks.readData, record)
    }
    guard submitted == id.rawValue else {
      unsafe forget(record)
      return nil
    }
    meter.value.workWasDone()
    return id
  }

  /// Hands over the trailers that end a stream: to be called before `fill` says `endWithTrailers`.
  ///
  /// - Parameter fields: each as `name: value CRLF`.
  package func submitTrailers(_ stream: HTTP2StreamID, fields: Span<UInt8>) {
    unsafe fields.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      unsafe buffers.fields.value.removeAll(keepingCapacity: true)
      unsafe addLines(fields, from: 0, base)
      unsafe nghttp2_submit_trailer(session, stream.rawValue, buffers.fields.value, buffers.fields.value.count)
    }
  }

  /// Egress: streams that may still be opened now; none after a GOAWAY.
  package var peerAllows: Int {
    guard !isIngress, endReason == nil, unsafe nghttp2_session_check_request_allowed(session) != 0 else { return 0 }
    let allowed = unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    return max(0, min(Int(allowed), Limits.http2Streams) - streams.value.count)
  }

  // MARK: Lists of fields

  private func addLines(_ head: Span<UInt8>, _ base: UnsafePointer<UInt8>) {
    let lineEnd = head.firstPosition(from: 0) { ByteWord.equal(0x0A, $0) }
    unsafe addLines(head, from: lineEnd + 1, base)
  }

  /// Adds the fields of a head from `start` to its empty line, without those that HTTP/2 says otherwise.
  private func addLines(_ head: Span<UInt8>, from start: Int, _ base: UnsafePointer<UInt8>) {
    var position = start
    while position < head.count {
      let nameEnd = head.firstPosition(from: position) { ByteWord.equal(0x3A, $0) | ByteWord.equal(0x0D, $0) }
      guard nameEnd < head.count, nameEnd > position, head[nameEnd] == UInt8(ascii: ":") else { return }
      let lineEnd = head.firstPosition(from: nameEnd + 1) { ByteWord.equal(0x0D, $0) }
      let value = ((nameEnd + 1)..<lineEnd).trimmingBlanks(in: head)
      let name = position..<nameEnd
      position = lineEnd + 2
      let kind = HTTP2FieldKind(head, name)
      if kind == .connectionSpecific || kind == .te || (kind == .host && !isIngress) { continue }
      let isSecret = kind == .unindexed || kind == .cookie
      unsafe buffers.fields.value.append(
        nghttp2_nv(
          name: UnsafeMutablePointer(mutating: base + name.lowerBound),
          value: UnsafeMutablePointer(mutating: base + value.lowerBound), namelen: name.count, valuelen: value.count,
          flags: UInt8((isSecret ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE).rawValue)))
    }
  }

  private func addField(_ name: StaticString, _ value: UnsafePointer<UInt8>, _ count: Int) {
    unsafe buffers.fields.value.append(
      nghttp2_nv(
        name: UnsafeMutablePointer(mutating: name.utf8Start), value: UnsafeMutablePointer(mutating: value),
        namelen: name.utf8CodeUnitCount, valuelen: count, flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)))
  }
}

/// What the pseudo-fields of a request are made of, as ranges of its head.
private struct RequestLineParts {
  let method: Range<Int>
  let target: Range<Int>
  let host: Range<Int>?

  init?(_ head: Span<UInt8>) {
    let methodEnd = head.firstPosition(from: 0) { ByteWord.below(0x21, $0) }
    let targetEnd = head.firstPosition(from: methodEnd + 1) { ByteWord.below(0x21, $0) }
    guard methodEnd > 0, targetEnd > methodEnd + 1, targetEnd < head.count else { return nil }
    method = 0..<methodEnd
    target = (methodEnd + 1)..<targetEnd
    var position = head.firstPosition(from: targetEnd) { ByteWord.equal(0x0A, $0) } + 1
    var found: Range<Int>?
    while found == nil, position < head.count {
      let nameEnd = head.firstPosition(from: position) { ByteWord.equal(0x3A, $0) }
      let lineEnd = head.firstPosition(from: position) { ByteWord.equal(0x0D, $0) }
      guard nameEnd < lineEnd, lineEnd < head.count else { break }
      if HTTP2FieldKind(head, position..<nameEnd) == .host {
        found = ((nameEnd + 1)..<lineEnd).trimmingBlanks(in: head)
      }
      position = lineEnd + 2
    }
    host = found
  }
}
