import COpenSSL
import GatewayBase

/// What a listener needs to speak TLS: certificates by name, protocols, ticket keys. Immutable; a reload makes another
/// one, and connections keep the one that they began with.
@safe package final class TLSContext: Sendable {
  let names: ServerNameTable
  /// One for each set of certificates of `names`.
  let contexts: [ContextHandle]
  let protocols: [ApplicationProtocol]
  let tickets: TLSTicketKeys

  /// - Parameters:
  ///   - identities: each name of theirs is served; the first serves clients that name no host.
  ///   - protocols: offered by ALPN, the preferred one first.
  ///   - tickets: shared by all listeners and reloads, so that clients resume on each.
  /// - Throws: where there is no certificate, or OpenSSL refuses one.
  package init(
    identities: [TLSIdentity], protocols: [ApplicationProtocol], tickets: TLSTicketKeys
  ) throws(TLSProblem) {
    guard !identities.isEmpty else { throw TLSProblem(file: "", reason: "there is no certificate") }
    names = ServerNameTable(identities.map { ($0.names, $0.keyType) })
    self.protocols = protocols
    self.tickets = tickets
    var contexts: [ContextHandle] = []
    for members in names.sets {
      let context = try ContextHandle(.listener)
      for member in members { try context.add(identities[member]) }
      unsafe Self.setUp(context.context)
      contexts.append(context)
    }
    self.contexts = contexts
  }

  private static func setUp(_ context: OpaquePointer) {
    // Resumption is by tickets alone, so that no memory of clients is kept. One is enough: browsers ask for another
    // on each connection that they resume.
    unsafe copenssl_set_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
    unsafe SSL_CTX_set_num_tickets(context, 1)
    unsafe SSL_CTX_set_timeout(context, Int(TLSTicketKeys.lifetime))
    // No data before the handshake is over: it could be replayed (RFC 8446 section 8).
    unsafe SSL_CTX_set_max_early_data(context, 0)
    unsafe SSL_CTX_set_client_hello_cb(context, { ssl, alert, _ in unsafe TLSContext.judge(ssl, alert) }, nil)
    unsafe SSL_CTX_set_alpn_select_cb(
      context, { ssl, out, count, _, _, _ in unsafe TLSContext.select(ssl, out, count) }, nil)
    unsafe copenssl_set_server_name_callback(context) { _, _, _ in SSL_TLSEXT_ERR_OK }
    unsafe SSL_CTX_set_tlsext_ticket_key_evp_cb(context) { ssl, name, iv, cipher, mac, encrypts in
      unsafe TicketCallback.run(ssl, name, iv, cipher, mac, encrypts)
    }
  }

  /// A session for a connection that was accepted; nil where there is no memory for it.
  package func session(_ buffers: TLSBuffers) -> TLSSession? {
    guard let first = contexts.first else { return nil }
    let session = unsafe TLSSession(first.context, .listener(Unmanaged.passRetained(self)), buffers)
    unsafe session?.configure { ssl in unsafe SSL_set_accept_state(ssl) }
    return session
  }
}
