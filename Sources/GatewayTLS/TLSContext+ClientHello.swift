import COpenSSL
import GatewayBase

// The first look at a connection: which certificate, which protocol, and what a ticket must have been made for.
extension TLSContext {
  /// Judges the client's hello before OpenSSL does anything with it.
  ///
  /// - Parameter alert: what the client is told where it is refused.
  static func judge(_ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?) -> Int32 {
    guard let ssl = unsafe ssl, let record = unsafe UnsafeMutablePointer<SessionRecord>.of(ssl),
      case .listener(let owner) = unsafe record.pointee.owner
    else { return SSL_CLIENT_HELLO_ERROR }
    let context = unsafe owner._withUnsafeGuaranteedRef { $0 }
    let name = unsafe serverName(ssl)
    let choice = unsafe context.protocolChoice(ssl)
    unsafe record.pointee.protocolChoice = choice
    if name == .malformed || choice == .malformed {
      unsafe alert?.pointee = SSL_AD_DECODE_ERROR
      return SSL_CLIENT_HELLO_ERROR
    }
    guard let set = context.set(for: name) else {
      unsafe record.pointee.refusal = .unknownName
      unsafe alert?.pointee = SSL_AD_UNRECOGNIZED_NAME
      return SSL_CLIENT_HELLO_ERROR
    }
    if set > 0 { unsafe SSL_set_SSL_CTX(ssl, context.contexts[set].context) }
    let scope = TicketScope.bytes(name, choice)
    guard unsafe SSL_set_session_id_context(ssl, scope, UInt32(scope.count)) == 1 else { return SSL_CLIENT_HELLO_ERROR }
    return SSL_CLIENT_HELLO_SUCCESS
  }

  private func set(for name: ClientHello.ServerName) -> Int? {
    switch name {
    case .absent: 0
    case .name(let name): names.set(for: name)
    case .unservable, .malformed: nil
    }
  }

  private static func serverName(_ ssl: OpaquePointer) -> ClientHello.ServerName {
    unsafe content(of: UInt32(TLSEXT_TYPE_server_name), ssl).map { bytes in
      unsafe ClientHello.serverName(Span(_unsafeElements: bytes))
    } ?? .absent
  }

  private func protocolChoice(_ ssl: OpaquePointer) -> ProtocolChoice {
    let type = UInt32(TLSEXT_TYPE_application_layer_protocol_negotiation)
    return unsafe Self.content(of: type, ssl).map { bytes in
      unsafe ClientHello.protocolChoice(Span(_unsafeElements: bytes), of: protocols)
    } ?? .none
  }

  private static func content(of type: UInt32, _ ssl: OpaquePointer) -> UnsafeBufferPointer<UInt8>? {
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    guard unsafe SSL_client_hello_get0_ext(ssl, type, &bytes, &count) == 1 else { return nil }
    return unsafe UnsafeBufferPointer(start: bytes, count: count)
  }

  /// Tells OpenSSL the protocol that `judge` chose.
  static func select(
    _ ssl: OpaquePointer?, _ name: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: UnsafeMutablePointer<UInt8>?
  ) -> Int32 {
    guard let record = unsafe UnsafeMutablePointer<SessionRecord>.of(ssl), let name = unsafe name,
      let count = unsafe count
    else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    guard case .chosen(let choice) = unsafe record.pointee.protocolChoice else {
      unsafe record.pointee.refusal = .noCommonProtocol
      return SSL_TLSEXT_ERR_ALERT_FATAL
    }
    unsafe name.pointee = choice.name.utf8Start
    unsafe count.pointee = UInt8(clamping: choice.name.utf8CodeUnitCount)
    return SSL_TLSEXT_ERR_OK
  }
}

/// What a ticket is good for: one name and one protocol. OpenSSL resumes only where these bytes are the same, so a
/// ticket of one app opens no session with another, whatever certificate they share (RFC 8446 section 4.6.1).
enum TicketScope {
  static func bytes(_ name: ClientHello.ServerName, _ choice: ProtocolChoice) -> [UInt8] {
    var text: [UInt8] = []
    if case .chosen(let choice) = choice { text.append(1 + choice.rawValue) } else { text.append(0) }
    if case .name(let name) = name { text += Array(name.utf8) }
    return SHA256Hash.bytes(text)
  }
}
