import CCurl
import GatewayBase

/// A libcurl handle that hands letters to a relay, over one connection as long as the relay keeps it.
///
/// Not shared: only the mailer's thread touches it.
@safe final class MailTransfer {
  private let curl: UnsafeMutableRawPointer

  init() throws(OutboundError) {
    guard CurlTransfer.isInitialised, let curl = unsafe curl_easy_init() else {
      throw .failed("libcurl can't be started")
    }
    unsafe self.curl = unsafe curl
  }

  deinit { unsafe curl_easy_cleanup(curl) }

  /// Blocks until the relay has taken the letter or not.
  func send(_ letter: MailLetter, to relay: MailRelay) throws(MailFailure) {
    unsafe curl_easy_reset(curl)
    let result: CURLcode
    do throws(OutboundError) {
      let options = unsafe CurlOptions(of: curl)
      try options.set(CURLOPT_URL, "\(relay.url.origin)/\(relay.greeting)")
      try options.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
      try options.set(CURLOPT_PROXY, "")
      try options.set([
        (CURLOPT_NOSIGNAL, 1), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_UPLOAD, 1),
        (CURLOPT_TIMEOUT_MS, Limits.mailTimeout), (CURLOPT_CONNECTTIMEOUT_MS, Limits.mailConnectTimeout),
      ])
      if let file = relay.authorities {
        try options.set(CURLOPT_CAINFO, file)
        try options.set(CURLOPT_CAPATH, nil)
      }
      if let login = relay.login {
        try options.set(CURLOPT_USERNAME, login.username)
        try options.set(CURLOPT_PASSWORD, String(decoding: login.password.reveal(), as: UTF8.self))
      }
      try options.set(CURLOPT_MAIL_FROM, letter.sender.text)
      let recipients = try CurlList([letter.recipient.text])
      try options.setRecipients(recipients)
      let source = MailSource(letter.message)
      try options.setSource(source)
      let sink = ResponseSink(limit: Limits.outboundResponse)
      try options.setSink(sink)
      result = withExtendedLifetime((recipients, source, sink)) { unsafe curl_easy_perform(curl) }
    } catch {
      throw MailFailure(error.description)
    }
    guard let failure = OutboundError(result) else { return }
    let status = unsafe ccurl_status(curl)
    guard (400...599).contains(status) else { throw MailFailure(failure.description) }
    switch result {
    case CURLE_LOGIN_DENIED: throw MailFailure("the relay refused the login (\(status))")
    // What was refused is the sender, the recipient or the letter, and not what came before: a relay that wants a login
    // (530), or has no time at the moment, takes the same letter later.
    case CURLE_SEND_ERROR:
      throw MailFailure("the relay refused the letter (\(status))", isFinal: status >= 500 && status != 530)
    default: throw MailFailure("the relay refused (\(status))")
    }
  }
}

/// Hands a letter's bytes to libcurl piece by piece.
final class MailSource {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// libcurl's read callback: zero is the end.
  static let provide: ccurl_sink = { buffer, size, count, context in
    guard let buffer = unsafe buffer, let context = unsafe context else { return 0 }
    let source = unsafe Unmanaged<MailSource>.fromOpaque(context).takeUnretainedValue()
    return unsafe source.write(to: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
  }

  private func write(to buffer: UnsafeMutableRawBufferPointer) -> Int {
    let piece = bytes[offset..<min(bytes.count, offset + buffer.count)]
    unsafe buffer.copyBytes(from: piece)
    offset += piece.count
    return piece.count
  }
}
