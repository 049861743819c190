import CCurl
import GatewayBase

/// One probe on its way: a libcurl handle, what it needs while it runs, and who waits for it.
///
/// Not shared: only the prober's thread touches it.
@safe final class ProbeTransfer {
  let handle: UnsafeMutableRawPointer
  let done: @Sendable (ProbeResult) -> Void
  private var headers: UnsafeMutablePointer<curl_slist>?
  private let sink = ResponseSink(limit: Limits.probeAnswer)

  init(_ probe: Probe, done: @escaping @Sendable (ProbeResult) -> Void) throws(OutboundError) {
    guard CurlTransfer.isInitialised, let handle = unsafe curl_easy_init() else {
      throw .failed("libcurl can't be started")
    }
    unsafe self.handle = unsafe handle
    self.done = done
    try setTarget(probe)
    try setNumbers(probe)
    for field in probe.fields {
      guard let longer = unsafe curl_slist_append(headers, "\(field.name): \(field.value)") else {
        throw .failed("out of memory")
      }
      unsafe headers = unsafe longer
    }
    try CurlTransfer.check(unsafe ccurl_set_headers(handle, headers))
    let context = unsafe Unmanaged.passUnretained(sink).toOpaque()
    try CurlTransfer.check(unsafe ccurl_set_sink(handle, ResponseSink.receive, context))
  }

  deinit {
    unsafe curl_easy_cleanup(handle)
    unsafe curl_slist_free_all(headers)
  }

  private func setTarget(_ probe: Probe) throws(OutboundError) {
    try set(CURLOPT_URL, probe.url)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_PROXY, "")  // the environment's proxies don't count
    try set(CURLOPT_USERAGENT, "speed-gateway")
    if let path = probe.unixPath { try set(CURLOPT_UNIX_SOCKET_PATH, path) }
    if let file = probe.authorities {
      try set(CURLOPT_CAINFO, file)
      try set(CURLOPT_CAPATH, nil)  // instead of the system's authorities, not besides
    }
  }

  private func setNumbers(_ probe: Probe) throws(OutboundError) {
    let isTLS = probe.url.hasPrefix("https:")
    let version =
      probe.usesHTTP2 ? (isTLS ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE) : CURL_HTTP_VERSION_1_1
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_PATH_AS_IS, 1), (CURLOPT_SSL_VERIFYPEER, 1),
      (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_TIMEOUT_MS, probe.timeout), (CURLOPT_CONNECTTIMEOUT_MS, probe.timeout),
      (CURLOPT_HTTP_VERSION, Int(version)),
      // A connection of its own each time: whether one can be made is part of the question.
      (CURLOPT_FRESH_CONNECT, 1), (CURLOPT_FORBID_REUSE, 1),
    ]
    for (option, value) in numbers { try CurlTransfer.check(unsafe ccurl_set_long(handle, option, value)) }
  }

  private func set(_ option: CURLoption, _ text: String?) throws(OutboundError) {
    try CurlTransfer.check(unsafe ccurl_set_string(handle, option, text))
  }

  /// What libcurl's end of the transfer means. An answer that is longer than anyone looks at is an answer.
  func result(_ code: CURLcode) -> ProbeResult {
    if sink.overflowed { return .answered(status: unsafe ccurl_status(handle)) }
    do throws(OutboundError) {
      try CurlTransfer.check(code)
      return .answered(status: unsafe ccurl_status(handle))
    } catch {
      return .failed(error)
    }
  }
}
