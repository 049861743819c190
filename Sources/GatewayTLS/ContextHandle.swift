import COpenSSL
import GatewayBase

/// Owns an OpenSSL context, with what is the same for both sides.
///
/// `@unchecked Sendable`: it is set up before it is shared and not changed afterwards; sessions of any thread may be
/// made from it at once, as OpenSSL promises.
@safe final class ContextHandle: @unchecked Sendable {
  let context: OpaquePointer

  enum Side { case listener, backend }

  /// TLS 1.2 with forward secrecy and authenticated encryption only, and TLS 1.3.
  private static let ciphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
  private static let suites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

  init(_ side: Side) throws(TLSProblem) {
    let method = unsafe side == .listener ? TLS_server_method() : TLS_client_method()
    guard let context = unsafe SSL_CTX_new(method) else {
      throw TLSProblem(file: "", reason: "no TLS context: \(ErrorQueue.takeText())")
    }
    unsafe self.context = unsafe context
    guard unsafe copenssl_set_protocol_range(context, TLS1_2_VERSION, TLS1_3_VERSION) == 1,
      unsafe SSL_CTX_set_cipher_list(context, Self.ciphers) == 1,
      unsafe SSL_CTX_set_ciphersuites(context, Self.suites) == 1,
      unsafe copenssl_set_groups(context, "X25519:P-256:P-384") == 1
    else { throw TLSProblem(file: "", reason: "TLS can't be set up: \(ErrorQueue.takeText())") }
    unsafe copenssl_set_usual_options(context)
    // The buffers of an idle connection go back. What is encrypted is never offered to OpenSSL twice.
    unsafe copenssl_set_mode(context, Int(SSL_MODE_RELEASE_BUFFERS))
  }

  deinit { unsafe SSL_CTX_free(context) }

  /// Gives it a certificate with key and chain.
  func add(_ identity: TLSIdentity) throws(TLSProblem) {
    var isGood = unsafe SSL_CTX_use_certificate(context, identity.leaf.certificate) == 1
    isGood = unsafe isGood && SSL_CTX_use_PrivateKey(context, identity.key) == 1
    for certificate in identity.chain {
      isGood = unsafe isGood && copenssl_add_to_chain(context, certificate.certificate) == 1
    }
    guard isGood else {
      throw TLSProblem(file: "", reason: "the certificate can't be used: \(ErrorQueue.takeText())")
    }
  }
}
