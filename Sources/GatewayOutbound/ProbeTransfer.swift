import CCurl
import GatewayBase

/// One probe on its way: a libcurl handle, what it needs while it runs, and who waits for it.
///
/// Not shared: only the prober's thread touches it.
@safe final class ProbeTransfer {
  let handle: UnsafeMutableRawPointer
  let done: @Sendable (ProbeResult) -> Void
  private let headers: CurlList
  private let sink = ResponseSink(limit: Limits.probeAnswer)

  init(_ probe: Probe, done: @escaping @Sendable (ProbeResult) -> Void) throws(OutboundError) {
    headers = try CurlList(probe.fields.map { "\($0.name): \($0.value)" })
    guard CurlTransfer.isInitialised, let handle = unsafe curl_easy_init() else {
      throw .failed("libcurl can't be started")
    }
    unsafe self.handle = unsafe handle
    self.done = done
    let options = unsafe CurlOptions(of: handle)
    try options.setCommon(url: probe.url, timeout: probe.timeout, connectTimeout: probe.timeout)
    try options.set([
      (CURLOPT_HTTP_VERSION, Self.version(probe)),
      // A connection of its own each time: whether one can be made is part of the question.
      (CURLOPT_FRESH_CONNECT, 1), (CURLOPT_FORBID_REUSE, 1),
    ])
    if let path = probe.unixPath { try options.set(CURLOPT_UNIX_SOCKET_PATH, path) }
    if let file = probe.authorities {
      try options.set(CURLOPT_CAINFO, file)
      try options.set(CURLOPT_CAPATH, nil)  // instead of the system's authorities, not besides
    }
    try options.setHeaders(headers)
    try options.setSink(sink)
  }

  deinit { unsafe curl_easy_cleanup(handle) }

  private static func version(_ probe: Probe) -> Int {
    guard probe.usesHTTP2 else { return Int(CURL_HTTP_VERSION_1_1) }
    return Int(probe.url.hasPrefix("https:") ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
  }

  /// What libcurl's end of the transfer means. An answer that is longer than anyone looks at is an answer.
  func result(_ code: CURLcode) -> ProbeResult {
    if sink.overflowed { return .answered(status: unsafe ccurl_status(handle)) }
    do throws(OutboundError) {
      try CurlOptions.check(code)
      return .answered(status: unsafe ccurl_status(handle))
    } catch {
      return .failed(error)
    }
  }
}
