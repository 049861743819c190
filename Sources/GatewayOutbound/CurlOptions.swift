import CCurl

/// The options of a libcurl handle that its owner keeps while this is used.
@safe struct CurlOptions {
  private let curl: UnsafeMutableRawPointer

  init(of curl: UnsafeMutableRawPointer) { unsafe self.curl = unsafe curl }

  /// What holds for every request of our own: HTTP alone, no redirect, no proxy, certificates are checked.
  ///
  /// - Parameters:
  ///   - timeout: milliseconds to the last byte of the answer.
  ///   - connectTimeout: milliseconds within that to connect.
  func setCommon(url: String, timeout: Int, connectTimeout: Int) throws(OutboundError) {
    try set(CURLOPT_URL, url)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_PROXY, "")  // the environment's proxies don't count
    try set(CURLOPT_USERAGENT, "speed-gateway")
    try set([
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_DISALLOW_USERNAME_IN_URL, 1),
      (CURLOPT_PATH_AS_IS, 1), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_TIMEOUT_MS, timeout), (CURLOPT_CONNECTTIMEOUT_MS, connectTimeout),
    ])
  }

  func set(_ option: CURLoption, _ text: String?) throws(OutboundError) {
    try Self.check(unsafe ccurl_set_string(curl, option, text))
  }

  func set(_ numbers: [(option: CURLoption, value: Int)]) throws(OutboundError) {
    for (option, value) in numbers { try Self.check(unsafe ccurl_set_long(curl, option, value)) }
  }

  /// Makes the request a POST of these bytes, which are copied.
  func setBody(_ bytes: [UInt8]) throws(OutboundError) {
    try set([(CURLOPT_POST, 1)])
    try Self.check(unsafe ccurl_set_body(curl, bytes, bytes.count))
  }

  /// Where the answer's body goes.
  ///
  /// - Parameter sink: kept by the caller while the transfer runs.
  func setSink(_ sink: ResponseSink) throws(OutboundError) {
    let context = unsafe Unmanaged.passUnretained(sink).toOpaque()
    try Self.check(unsafe ccurl_set_sink(curl, ResponseSink.receive, context))
  }

  func setHeaders(_ lines: CurlList) throws(OutboundError) {
    try Self.check(unsafe ccurl_set_headers(curl, lines.list))
  }

  /// Who gets the letter.
  ///
  /// - Parameter addresses: kept by the caller while the transfer runs.
  func setRecipients(_ addresses: CurlList) throws(OutboundError) {
    try Self.check(unsafe ccurl_set_recipients(curl, addresses.list))
  }

  /// Where the letter comes from.
  ///
  /// - Parameter source: kept by the caller while the transfer runs.
  func setSource(_ source: MailSource) throws(OutboundError) {
    let context = unsafe Unmanaged.passUnretained(source).toOpaque()
    try Self.check(unsafe ccurl_set_source(curl, MailSource.provide, context))
  }

  static func check(_ result: CURLcode) throws(OutboundError) {
    if let failure = OutboundError(result) { throw failure }
  }
}

extension OutboundError {
  /// What a result of libcurl means; nil for success.
  init?(_ result: CURLcode) {
    switch result {
    case CURLE_OK: return nil
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: self = .unreachable
    case CURLE_OPERATION_TIMEDOUT: self = .timedOut
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_ISSUER_ERROR:
      self = .untrusted
    default: self = .failed(unsafe String(cString: curl_easy_strerror(result)))
    }
  }
}

/// Texts as libcurl takes several of them: field lines, or addresses. They must outlive the transfer.
@safe final class CurlList {
  fileprivate private(set) var list: UnsafeMutablePointer<curl_slist>?

  init(_ texts: [String]) throws(OutboundError) {
    for text in texts {
      guard let longer = unsafe curl_slist_append(list, text) else { throw .failed("out of memory") }
      unsafe list = unsafe longer
    }
  }

  deinit { unsafe curl_slist_free_all(list) }
}
