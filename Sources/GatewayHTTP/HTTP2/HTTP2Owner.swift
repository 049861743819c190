import GatewayBase

/// A stream of one connection (RFC 9113 section 5.1.1).
package struct HTTP2StreamID: Hashable, Sendable {
  package let rawValue: Int32

  package init(_ rawValue: Int32) { self.rawValue = rawValue }
}

/// Why a stream or a connection ended (RFC 9113 section 7).
package struct HTTP2ErrorCode: Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let noError = HTTP2ErrorCode(rawValue: 0x0)
  package static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
  package static let internalError = HTTP2ErrorCode(rawValue: 0x2)
  package static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
  package static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
  /// Nothing was done for the request: it may be sent again.
  package static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
  package static let cancel = HTTP2ErrorCode(rawValue: 0x8)
  package static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
  package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)
}

/// How a stream goes on behind the bytes that `fill` has just appended.
package enum HTTP2Fill {
  /// More will come. Where nothing was appended, the stream waits for `HTTP2Machine.resume`.
  case more
  /// The stream ends here.
  case end
  /// The trailers end the stream. They were handed to `HTTP2Machine.submitTrailers` before.
  case endWithTrailers
}

/// What a machine tells whoever owns its connection, during `receive`, `takeOutput` and `tearDown`.
///
/// Heads have HTTP/1.1 form, so that one parser and one writer serve all protocols. Within these calls the owner may
/// submit, resume, reset and credit, but not receive, take output or tear down.
package protocol HTTP2Owner: AnyObject {
  /// Ingress: a request's head is whole and ready for `RequestParser`.
  ///
  /// - Parameters:
  ///   - endsStream: no body follows.
  ///   - hasLength: the head has a `Content-Length`. It never has a `Transfer-Encoding`.
  func requestBegan(_ stream: HTTP2StreamID, head: Span<UInt8>, endsStream: Bool, hasLength: Bool)

  /// Ingress: a head that can't be told in HTTP/1.1 form. The answer is the owner's to submit; of the request nothing
  /// more is told but `streamClosed`.
  ///
  /// - Parameter head: what can be told of it, for `HeadGlimpse` and nothing else.
  func requestRefused(_ stream: HTTP2StreamID, _ refusal: Refusal, head: Span<UInt8>, endsStream: Bool)

  /// Egress: an answer's head, interim ones too, ready for `ResponseParser`.
  func responseHeadCame(_ stream: HTTP2StreamID, head: Span<UInt8>, endsStream: Bool, hasLength: Bool)

  /// Bytes of a body. They count against the windows until they are credited.
  func dataCame(_ stream: HTTP2StreamID, _ bytes: Span<UInt8>)

  /// The trailer section, each field as `name: value CRLF`; `streamEnded` follows.
  func trailersCame(_ stream: HTTP2StreamID, fields: Span<UInt8>)

  /// The peer has ended its direction after the body or the trailers; not told where the head did.
  func streamEnded(_ stream: HTTP2StreamID)

  /// The last word about a stream that was told of or submitted: both directions ended, or it was reset.
  func streamClosed(_ stream: HTTP2StreamID, error: HTTP2ErrorCode)

  /// There is room for bytes of this stream's body: called for as long as it is neither waiting nor ended.
  func fill(_ stream: HTTP2StreamID, into out: inout HTTP2Sink) -> HTTP2Fill
}

/// Room for a body's bytes in the output itself, so that they are copied once.
@safe package struct HTTP2Sink: ~Copyable {
  private let base: UnsafeMutablePointer<UInt8>
  private let capacity: Int
  private(set) var count = 0

  init(_ base: UnsafeMutablePointer<UInt8>, capacity: Int) {
    unsafe self.base = unsafe base
    self.capacity = capacity
  }

  /// Bytes that can still be appended.
  package var room: Int { capacity - count }

  /// Appends what has room and returns how many bytes that were.
  @discardableResult
  package mutating func append(_ bytes: Span<UInt8>) -> Int {
    let taken = min(bytes.count, room)
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress, taken > 0 else { return }
      unsafe (base + count).update(from: address, count: taken)
    }
    count += taken
    return taken
  }
}
