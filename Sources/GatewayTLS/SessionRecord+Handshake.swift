import COpenSSL
import GatewayBase
import GatewayIO

extension UnsafeMutablePointer<SessionRecord> {
  func handshake() -> Handshake {
    if unsafe !pointee.isEstablished {
      ErrorQueue.clear()
      unsafe pointee.kernelIsDry = false
      let result = unsafe SSL_do_handshake(pointee.ssl)
      if result == 1 {
        unsafe pointee.isEstablished = true
      } else {
        let error = unsafe SSL_get_error(pointee.ssl, result)
        guard error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE else { return unsafe .failed(failure()) }
      }
    }
    switch unsafe flush() {
    case .moved: return unsafe pointee.isEstablished ? .done(chosenProtocol) : .needsMore
    case .wouldBlock: return .needsMore
    case .ended: return .failed(.ended)
    case .failed(let number): return .failed(.system(number))
    }
  }

  /// Why the handshake failed. What it has to say to the peer goes out.
  private func failure() -> TLSFailure {
    let reason = ErrorQueue.takeReason()
    _ = unsafe flush()
    if let refusal = unsafe pointee.refusal { return refusal }
    if unsafe pointee.systemError != 0 { return unsafe .system(pointee.systemError) }
    if unsafe pointee.hasEnded { return .ended }
    let verdict = unsafe SSL_get_verify_result(pointee.ssl)
    if reason == SSL_R_CERTIFICATE_VERIFY_FAILED, verdict != X509_V_OK {
      return .certificate(Int32(truncatingIfNeeded: verdict))
    }
    return .fault(reason)
  }

  private var chosenProtocol: ApplicationProtocol? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    unsafe SSL_get0_alpn_selected(pointee.ssl, &name, &count)
    let bytes = unsafe UnsafeBufferPointer(start: name, count: Int(count))
    return unsafe ApplicationProtocol(Span(_unsafeElements: bytes))
  }
}
