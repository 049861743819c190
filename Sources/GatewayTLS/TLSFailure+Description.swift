import COpenSSL
import Glibc

extension TLSFailure: CustomStringConvertible {
  /// What went wrong, in words for a log.
  public var description: String {
    switch self {
    case .unknownName: "no certificate for the name asked for"
    case .noCommonProtocol: "no protocol in common"
    case .ended: "the peer closed the connection during the handshake"
    case .certificate(let result):
      "certificate verify failed: \(unsafe String(cString: X509_verify_cert_error_string(Int(result))))"
    case .fault(let reason): unsafe copenssl_ssl_reason_text(reason).map { unsafe String(cString: $0) } ?? "TLS error"
    case .system(let number): unsafe String(cString: strerror(number))
    }
  }
}
