import COpenSSL
import GatewayBase

/// Owns an OpenSSL certificate.
///
/// `@unchecked Sendable`: it is never changed after `init`, and OpenSSL's own counts and caches inside it are locked.
@safe final class CertificateHandle: @unchecked Sendable {
  let certificate: OpaquePointer

  init(adopting certificate: OpaquePointer) { unsafe self.certificate = unsafe certificate }

  deinit { unsafe X509_free(certificate) }

  /// The host names it is for, in canonical form: its dNSNames, or its common name where it has no such (RFC 6125
  /// section 6.4.4).
  var names: [String] {
    let names = dnsNames
    return names.isEmpty ? commonName.map { [$0] } ?? [] : names
  }

  private var dnsNames: [String] {
    guard let list = unsafe copenssl_names(certificate) else { return [] }
    defer { unsafe copenssl_free_names(list) }
    return (0..<(unsafe copenssl_names_count(list))).compactMap { index in
      var count: Int32 = 0
      guard let bytes = unsafe copenssl_dns_name(list, index, &count) else { return nil }
      return unsafe TLSName.pattern(Span(_unsafeElements: UnsafeBufferPointer(start: bytes, count: Int(count))))
    }
  }

  private var commonName: String? {
    var text = [CChar](repeating: 0, count: 256)
    let count = unsafe X509_NAME_get_text_by_NID(
      X509_get_subject_name(certificate), NID_commonName, &text, Int32(text.count))
    guard count > 0 else { return nil }
    let bytes = text.prefix(Int(count)).map { UInt8(bitPattern: $0) }
    return TLSName.pattern(bytes.span)
  }

  /// Whether its time has not begun, or is over.
  func validity(at now: UnixTime) -> Validity {
    var time = time_t(now.seconds)
    if unsafe X509_cmp_time(X509_get0_notBefore(certificate), &time) > 0 { return .notYet }
    return unsafe X509_cmp_time(X509_get0_notAfter(certificate), &time) < 0 ? .over : .valid
  }

  enum Validity { case notYet, valid, over }
}
