/// How far a handshake has come.
public enum Handshake: Sendable, Equatable {
  /// Application bytes may pass. The first may have come with the handshake's last ones, and no event tells of them:
  /// call `receive` at once. nil where the client side offered no protocol.
  case done(ApplicationProtocol?)
  /// Call again when the socket becomes readable or writable.
  case needsMore
  /// It can't be completed. The alert that says so to the peer is out already; what is left is to close.
  case failed(TLSFailure)
}

/// Why TLS failed on one connection. The description is fit for a log: nothing of it was chosen by the peer.
public enum TLSFailure: Error, Sendable, Equatable {
  /// The client asks for a name that no certificate is for.
  case unknownName
  /// The client speaks none of the protocols offered by ALPN.
  case noCommonProtocol
  /// The peer ended the connection before the handshake was complete.
  case ended
  /// The backend's certificate does not hold; the number is OpenSSL's (`X509_V_ERR_…`).
  case certificate(Int32)
  /// The peer's bytes are no TLS or break it, or the peer refuses by an alert; the number is OpenSSL's reason.
  case fault(Int32)
  /// The socket failed; `errno`.
  case system(Int32)
}
