import CCurl
import GatewayBase

/// One libcurl handle: does one transfer at a time and keeps its connections between them.
///
/// `@unchecked Sendable`: it is used by one thread at a time. Whoever takes it from the client's idle list owns it alone
/// until he puts it back, and libcurl lets a handle move between threads in this way.
@safe final class CurlTransfer: @unchecked Sendable {
  static let isInitialised = ccurl_global_init() == CURLE_OK

  private let curl: UnsafeMutableRawPointer

  init() throws(OutboundError) {
    guard Self.isInitialised, let curl = unsafe curl_easy_init() else { throw .failed("libcurl can't be started") }
    unsafe self.curl = unsafe curl
  }

  deinit { unsafe curl_easy_cleanup(curl) }

  /// Blocks until the answer is whole or the request failed.
  func perform(_ request: OutboundRequest) throws(OutboundError) -> OutboundResponse {
    unsafe curl_easy_reset(curl)  // options only: connections stay
    let options = unsafe CurlOptions(of: curl)
    try options.setCommon(
      url: request.url.description, timeout: request.timeout, connectTimeout: request.connectTimeout)
    if let content = request.content { try options.setBody(content.bytes) }
    let headers = try CurlList(headerLines(request))
    try options.setHeaders(headers)
    let sink = ResponseSink(limit: request.responseLimit)
    try options.setSink(sink)
    let result = withExtendedLifetime((sink, headers)) { unsafe curl_easy_perform(curl) }
    guard !sink.overflowed else { throw .responseTooLarge }
    try CurlOptions.check(result)
    return OutboundResponse(status: unsafe ccurl_status(curl), body: sink.bytes)
  }

  private func headerLines(_ request: OutboundRequest) -> [String] {
    let common = ["Accept: application/json", "Expect:"]  // no wait for a 100 (Continue)
    let bearer = request.bearer.map { ["Authorization: Bearer \(String(decoding: $0.reveal(), as: UTF8.self))"] } ?? []
    let further = request.fields.map { "\($0.name): \($0.value)" }
    return common + bearer + further + (request.content.map { ["Content-Type: \($0.mediaType)"] } ?? [])
  }
}

/// Collects a body up to a limit.
final class ResponseSink {
  private let limit: Int
  private(set) var bytes: [UInt8] = []
  private(set) var overflowed = false

  init(limit: Int) { self.limit = limit }

  /// libcurl's write callback: an answer other than the count that came ends the transfer.
  static let receive: ccurl_sink = { bytes, size, count, context in
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    let sink = unsafe Unmanaged<ResponseSink>.fromOpaque(context).takeUnretainedValue()
    return unsafe sink.append(UnsafeRawBufferPointer(start: bytes, count: size * count))
  }

  private func append(_ more: UnsafeRawBufferPointer) -> Int {
    guard bytes.count + more.count <= limit else {
      overflowed = true
      return 0
    }
    unsafe bytes.append(contentsOf: more)
    return more.count
  }
}
