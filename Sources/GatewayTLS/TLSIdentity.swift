import COpenSSL
import GatewayBase

/// A certificate with its chain and its private key, which belong together.
///
/// `@unchecked Sendable`: `key` is never changed after `init`, and OpenSSL's own counts and caches inside it are locked.
@safe package final class TLSIdentity: @unchecked Sendable {
  let leaf: CertificateHandle
  /// What stands behind it, towards its root.
  let chain: [CertificateHandle]
  let key: OpaquePointer
  /// The host names that it is for, in canonical form; `*.` for any one label.
  package let names: [String]

  /// Kind of the key, as OpenSSL numbers it: a listener may have one certificate of each kind for a name.
  var keyType: Int32 { unsafe EVP_PKEY_get_base_id(key) }

  /// - Parameters:
  ///   - certificate: PEM: the certificate, then those that lead from it to its root.
  ///   - key: PEM, not encrypted.
  ///   - files: their names, for problems.
  /// - Throws: what is wrong, with the file's name. A certificate that has expired is no problem here: see `validity`.
  package init(
    certificate: [UInt8], key: [UInt8], files: (certificate: String, key: String) = ("certificate", "key")
  ) throws(TLSProblem) {
    let certificates = try PEM.certificates(certificate, file: files.certificate)
    guard let leaf = certificates.first else {
      throw TLSProblem(file: files.certificate, reason: "there is no certificate in it (PEM)")
    }
    guard let privateKey = unsafe PEM.privateKey(key) else {
      throw TLSProblem(file: files.key, reason: "there is no unencrypted private key in it (PEM)")
    }
    guard unsafe X509_check_private_key(leaf.certificate, privateKey) == 1 else {
      ErrorQueue.clear()
      unsafe EVP_PKEY_free(privateKey)
      throw TLSProblem(file: files.key, reason: "it is not the key of the certificate in \(files.certificate)")
    }
    self.leaf = leaf
    chain = Array(certificates.dropFirst())
    unsafe self.key = unsafe privateKey
    names = leaf.names
  }

  deinit { unsafe EVP_PKEY_free(key) }

  /// What is wrong with its time; nil where nothing is.
  package func timeProblem(at now: UnixTime) -> String? {
    switch leaf.validity(at: now) {
    case .valid: nil
    case .notYet: "the certificate is not valid yet"
    case .over: "the certificate has expired"
    }
  }
}

/// Reads texts of PEM form (RFC 7468).
enum PEM {
  /// All certificates of a text, in order.
  static func certificates(_ text: [UInt8], file: String) throws(TLSProblem) -> [CertificateHandle] {
    guard let bio = unsafe BIO_new_mem_buf(text, Int32(clamping: text.count)) else { return [] }
    defer { unsafe BIO_free(bio) }
    var certificates: [CertificateHandle] = []
    while let certificate = unsafe copenssl_read_certificate(bio) {
      certificates.append(unsafe CertificateHandle(adopting: certificate))
    }
    let isAtEnd = copenssl_is_end_of_pem() == 1
    let reason = ErrorQueue.takeText()
    guard isAtEnd else { throw TLSProblem(file: file, reason: "a certificate in it is damaged: \(reason)") }
    return certificates
  }

  /// A private key, or nil.
  static func privateKey(_ text: [UInt8]) -> OpaquePointer? {
    guard let bio = unsafe BIO_new_mem_buf(text, Int32(clamping: text.count)) else { return nil }
    defer { unsafe BIO_free(bio) }
    let key = unsafe copenssl_read_private_key(bio)
    ErrorQueue.clear()
    return unsafe key
  }
}
