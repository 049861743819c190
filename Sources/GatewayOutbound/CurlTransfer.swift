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
    try configure(request)
    var headers: UnsafeMutablePointer<curl_slist>?
    defer { unsafe curl_slist_free_all(headers) }
    for line in headerLines(request) {
      guard let longer = unsafe curl_slist_append(headers, line) else { throw .failed("out of memory") }
      unsafe headers = unsafe longer
    }
    try check(unsafe ccurl_set_headers(curl, headers))
    let sink = ResponseSink(limit: request.responseLimit)
    let context = unsafe Unmanaged.passUnretained(sink).toOpaque()
    try check(unsafe ccurl_set_sink(curl, ResponseSink.receive, context))
    let result = withExtendedLifetime(sink) { unsafe curl_easy_perform(curl) }
    guard !sink.overflowed else { throw .responseTooLarge }
    try check(result)
    return OutboundResponse(status: unsafe ccurl_status(curl), body: sink.bytes)
  }

  private func headerLines(_ request: OutboundRequest) -> [String] {
    let common = ["Accept: application/json", "Expect:"]  // no wait for a 100 (Continue)
    let bearer = request.bearer.map { ["Authorization: Bearer \(String(decoding: $0.reveal(), as: UTF8.self))"] } ?? []
    return common + bearer + (request.content.map { ["Content-Type: \($0.mediaType)"] } ?? [])
  }

  private func configure(_ request: OutboundRequest) throws(OutboundError) {
    try set(CURLOPT_URL, request.url.description)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_PROXY, "")  // the environment's proxies don't count
    try set(CURLOPT_USERAGENT, "speed-gateway")
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_DISALLOW_USERNAME_IN_URL, 1),
      (CURLOPT_PATH_AS_IS, 1),
      (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_TIMEOUT_MS, request.timeout),
      (CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout),
    ]
    for (option, value) in numbers { try check(unsafe ccurl_set_long(curl, option, value)) }
    if let content = request.content {
      let bytes = content.bytes
      try check(unsafe ccurl_set_long(curl, CURLOPT_POST, 1))
      try check(unsafe ccurl_set_body(curl, bytes, bytes.count))
    }
  }

  private func set(_ option: CURLoption, _ text: String) throws(OutboundError) {
    try check(unsafe ccurl_set_string(curl, option, text))
  }

  private func check(_ result: CURLcode) throws(OutboundError) { try Self.check(result) }

  static func check(_ result: CURLcode) throws(OutboundError) {
    switch result {
    case CURLE_OK: return
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: throw .unreachable
    case CURLE_OPERATION_TIMEDOUT: throw .timedOut
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_ISSUER_ERROR:
      throw .untrusted
    default: throw .failed(unsafe String(cString: curl_easy_strerror(result)))
    }
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
