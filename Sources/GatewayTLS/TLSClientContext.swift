import COpenSSL
import GatewayBase

/// Whom to believe that a certificate is a backend's.
package enum TLSTrust: Sendable, Equatable {
  /// The system's authorities.
  case system
  /// The certificates in a PEM file: authorities, or the backend's own.
  case file(String)
  /// Anybody: no certificate is checked.
  case anyone
}

/// What it takes to reach a backend over TLS: whom to trust, the protocol, and sessions to resume. Shared by all loops.
@safe package final class TLSClientContext: Sendable {
  private let context: ContextHandle
  private let trust: TLSTrust
  let hosts = Locked<[URLHost: BackendSessions]>([:])

  /// - Parameter protocols: offered by ALPN, the preferred one first.
  /// - Throws: where the file of authorities can't be used.
  package init(trust: TLSTrust, protocols: [ApplicationProtocol]) throws(TLSProblem) {
    self.trust = trust
    context = try ContextHandle(.backend)
    try unsafe Self.trust(trust, context.context)
    let list = ApplicationProtocol.wireForm(protocols)
    guard unsafe protocols.isEmpty || SSL_CTX_set_alpn_protos(context.context, list, UInt32(list.count)) == 0 else {
      throw TLSProblem(file: "", reason: "the protocols can't be offered: \(ErrorQueue.takeText())")
    }
    unsafe copenssl_set_cache_mode(context.context, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
    unsafe SSL_CTX_sess_set_new_cb(context.context) { ssl, session in unsafe BackendSessions.keep(ssl, session) }
  }

  private static func trust(_ trust: TLSTrust, _ context: OpaquePointer) throws(TLSProblem) {
    switch trust {
    case .anyone: return unsafe SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
    case .system:
      guard unsafe SSL_CTX_set_default_verify_paths(context) == 1 else {
        throw TLSProblem(file: "", reason: "the system's authorities can't be read: \(ErrorQueue.takeText())")
      }
    case .file(let path):
      guard unsafe SSL_CTX_load_verify_file(context, path) == 1 else {
        throw TLSProblem(file: path, reason: "no certificates can be read from it: \(ErrorQueue.takeText())")
      }
      // The backend's own certificate, or an authority in the middle, is as good as a root: somebody put it there.
      unsafe X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }
    unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
  }

  /// A session for a connection to a backend: its certificate must be for `host`, which is sent as the name asked for
  /// where it is one.
  ///
  /// - Returns: nil where there is no memory.
  package func session(to host: URLHost, _ buffers: TLSBuffers) -> TLSSession? {
    let sessions = sessions(with: host)
    let owner = unsafe SessionOwner.backend(Unmanaged.passRetained(self), host: Unmanaged.passRetained(sessions))
    let session = unsafe TLSSession(context.context, owner, buffers)
    let name = host.description
    unsafe session?.configure { ssl in
      unsafe SSL_set_connect_state(ssl)
      switch host {
      case .name:
        unsafe copenssl_set_server_name(ssl, name)
        unsafe SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        unsafe SSL_set1_host(ssl, name)
      case .address: unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name)
      }
      unsafe sessions.resume(ssl)
    }
    return session
  }
}

extension TLSClientContext {
  func sessions(with host: URLHost) -> BackendSessions {
    hosts.withLock { hosts in
      if let known = hosts[host] { return known }
      let new = BackendSessions()
      hosts[host] = new
      return new
    }
  }
}

/// The last session with one host, to be resumed: that saves both sides the certificates.
///
/// `@unchecked Sendable`: `last` is touched under its lock, and OpenSSL's sessions are counted atomically.
@safe final class BackendSessions: @unchecked Sendable {
  private let last = Locked<UInt>(0)

  deinit { Self.free(last.withLock { $0 }) }

  /// Offers the last session to the backend.
  func resume(_ ssl: OpaquePointer) {
    last.withLock { last in
      guard let session = unsafe OpaquePointer(bitPattern: last) else { return }
      if unsafe SSL_SESSION_is_resumable(session) == 1 { unsafe SSL_set_session(ssl, session) }
    }
    ErrorQueue.clear()
  }

  /// Called by OpenSSL with each session that it could resume; 1 keeps the reference that it gives.
  static func keep(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    guard let record = unsafe UnsafeMutablePointer<SessionRecord>.of(ssl), let session = unsafe session,
      case .backend(_, let host) = unsafe record.pointee.owner
    else { return 0 }
    let address = UInt(bitPattern: session)
    let old = unsafe host._withUnsafeGuaranteedRef { host in
      host.last.withLock { last in
        defer { last = address }
        return last
      }
    }
    free(old)
    return 1
  }

  private static func free(_ session: UInt) {
    if let session = unsafe OpaquePointer(bitPattern: session) { unsafe SSL_SESSION_free(session) }
  }
}
