import CNghttp2
import GatewayBase

/// How nghttp2 is set up: once for all sessions.
enum HTTP2Session {
  /// Set up once and only read afterwards.
  static let callbacks = Callbacks()
  static let options = Options()

  /// What an error of nghttp2 says about the peer.
  static func reason(_ error: Int) -> HTTP2End {
    switch Int32(truncatingIfNeeded: error) {
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: .badPreface
    case NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue: .flood
    default: .protocolError
    }
  }

  /// The functions that nghttp2 calls.
  ///
  /// `@unchecked Sendable`: nghttp2 copies the table into each session and never writes it.
  @safe final class Callbacks: @unchecked Sendable {
    let pointer: OpaquePointer

    init() {
      var made: OpaquePointer?
      guard unsafe nghttp2_session_callbacks_new(&made) == 0, let made = unsafe made else {
        fatalError("out of memory for HTTP/2")
      }
      unsafe pointer = unsafe made
      unsafe nghttp2_session_callbacks_set_on_begin_frame_callback(made, HTTP2Callbacks.frameBegan)
      unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(
        made, HTTP2Callbacks.headersBegan)
      unsafe nghttp2_session_callbacks_set_on_header_callback(made, HTTP2Callbacks.fieldCame)
      unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(made, HTTP2Callbacks.frameCame)
      unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        made, HTTP2Callbacks.dataCame)
      unsafe nghttp2_session_callbacks_set_on_stream_close_callback(
        made, HTTP2Callbacks.streamClosed)
      unsafe nghttp2_session_callbacks_set_on_frame_send_callback(made, HTTP2Callbacks.frameSent)
      unsafe nghttp2_session_callbacks_set_send_data_callback(made, HTTP2Callbacks.sendData)
    }
  }

  /// `@unchecked Sendable`: nghttp2 copies the options into each session and never writes them.
  @safe final class Options: @unchecked Sendable {
    let pointer: OpaquePointer

    init() {
      var made: OpaquePointer?
      guard unsafe nghttp2_option_new(&made) == 0, let made = unsafe made else {
        fatalError("out of memory for HTTP/2")
      }
      unsafe pointer = unsafe made
      // Windows open as the owner uses up what came.
      unsafe nghttp2_option_set_no_auto_window_update(made, 1)
      // Messages are judged here: a refused one gets an answer instead of a reset.
      unsafe nghttp2_option_set_no_http_messaging(made, 1)
      unsafe nghttp2_option_set_no_closed_streams(made, 1)
      unsafe nghttp2_option_set_max_outbound_ack(made, Limits.http2QueuedAcks)
      unsafe nghttp2_option_set_max_settings(made, Limits.http2Settings)
      // nghttp2 counts a frame again for each piece that its header comes in; they are counted in `frameBegan`.
      unsafe nghttp2_option_set_max_continuations(
        made, HTTP2Output.frameHeader * (Limits.http2Continuations + 1))
      // The budget of resets is kept here, by the loop's clock.
      unsafe nghttp2_option_set_stream_reset_rate_limit(
        made, UInt64(UInt32.max), UInt64(UInt32.max))
      unsafe nghttp2_option_set_max_deflate_dynamic_table_size(made, Limits.http2HeaderTable)
    }
  }
}

/// The entry points for nghttp2: each finds its machine and passes on what happened.
///
/// A result other than 0 ends the session; `HTTP2Machine.receive` tells why.
enum HTTP2Callbacks {
  private static let proceed: Int32 = 0
  private static let stop = NGHTTP2_ERR_CALLBACK_FAILURE.rawValue

  /// The machine that a session was made with, which outlives it: no reference is counted.
  @inline(__always)
  private static func with<Result>(
    _ context: UnsafeMutableRawPointer?, else failure: Result, _ body: (HTTP2Machine) -> Result
  ) -> Result {
    guard let context = unsafe context else { return failure }
    return unsafe Unmanaged<HTTP2Machine>.fromOpaque(context)._withUnsafeGuaranteedRef { body($0) }
  }

  static let frameBegan: nghttp2_on_begin_frame_callback = { _, header, context in
    guard let header = unsafe header else { return stop }
    let type = unsafe header.pointee.type
    return unsafe with(context, else: stop) { machine in
      machine.frameBegan(type: type) ? proceed : stop
    }
  }

  static let headersBegan: nghttp2_on_begin_headers_callback = { _, frame, context in
    let id = unsafe HTTP2StreamID(cnghttp2_stream(frame))
    return unsafe with(context, else: stop) { machine in
      machine.headersBegan(id)
      return proceed
    }
  }

  static let fieldCame: nghttp2_on_header_callback = {
    _, _, name, nameCount, value, valueCount, _, context in
    guard let name = unsafe name, let value = unsafe value else { return stop }
    return unsafe with(context, else: stop) { machine in
      let nameBytes = unsafe Span(_unsafeStart: name, count: nameCount)
      let valueBytes = unsafe Span(_unsafeStart: value, count: valueCount)
      return machine.fieldCame(nameBytes, valueBytes) ? proceed : stop
    }
  }

  static let frameCame: nghttp2_on_frame_recv_callback = { _, frame, context in
    let endsStream = unsafe cnghttp2_flags(frame) & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    let id = unsafe HTTP2StreamID(cnghttp2_stream(frame))
    let type = unsafe UInt32(cnghttp2_type(frame))
    return unsafe with(context, else: stop) { machine in
      switch type {
      case NGHTTP2_HEADERS.rawValue: machine.headersCame(id, endsStream: endsStream)
      case NGHTTP2_DATA.rawValue: machine.dataFrameCame(id, endsStream: endsStream)
      case NGHTTP2_RST_STREAM.rawValue: machine.resetCame(id)
      case NGHTTP2_GOAWAY.rawValue: machine.goAwayCame()
      default: break
      }
      return machine.endReason == nil ? proceed : stop
    }
  }

  static let dataCame: nghttp2_on_data_chunk_recv_callback = {
    _, _, stream, bytes, count, context in
    guard let bytes = unsafe bytes else { return stop }
    return unsafe with(context, else: stop) { machine in
      machine.dataCame(HTTP2StreamID(stream), unsafe Span(_unsafeStart: bytes, count: count))
      return proceed
    }
  }

  static let streamClosed: nghttp2_on_stream_close_callback = { _, stream, code, context in
    unsafe with(context, else: stop) { machine in
      machine.streamClosed(HTTP2StreamID(stream), HTTP2ErrorCode(rawValue: code))
      return proceed
    }
  }

  static let frameSent: nghttp2_on_frame_send_callback = { _, frame, context in
    let endsStream = unsafe cnghttp2_flags(frame) & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    let id = unsafe HTTP2StreamID(cnghttp2_stream(frame))
    return unsafe with(context, else: stop) { machine in
      switch unsafe UInt32(cnghttp2_type(frame)) {
      case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue: if endsStream { machine.endWasSent(id) }
      case NGHTTP2_RST_STREAM.rawValue:
        machine.resetWasSent(id, unsafe HTTP2ErrorCode(rawValue: cnghttp2_reset_code(frame)))
      case NGHTTP2_GOAWAY.rawValue:
        machine.goAwayWasSent(unsafe HTTP2ErrorCode(rawValue: cnghttp2_goaway_code(frame)))
      default: break
      }
      return proceed
    }
  }

  /// Reads a stream's bytes straight into the output, behind room for the frame's header.
  static let readData: nghttp2_data_source_read_callback = {
    _, stream, _, count, flags, _, context in
    let failure = Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    guard let flags = unsafe flags else { return failure }
    return unsafe with(context, else: failure) { machine in
      switch machine.fill(HTTP2StreamID(stream), upTo: count) {
      case .noRoom: return Int(NGHTTP2_ERR_PAUSE.rawValue)
      case .nothing: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
      case .gone: return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
      case .data(let count, let ends, let trailersFollow):
        var bits = NGHTTP2_DATA_FLAG_NO_COPY.rawValue
        if ends { bits |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        if trailersFollow { bits |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue }
        unsafe flags.pointee |= bits
        return count
      }
    }
  }

  static let sendData: nghttp2_send_data_callback = { _, _, header, count, _, context in
    guard let header = unsafe header else { return stop }
    return unsafe with(context, else: stop) { machine in
      unsafe machine.output.value.completeData(header, count) ? proceed : stop
    }
  }
}
