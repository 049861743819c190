import COpenSSL
import GatewayBase
import GatewayIO

/// All that a TLS connection holds. It stays at one address, which OpenSSL's callbacks get.
///
/// Code works on it through that address, one field at a time: OpenSSL calls back in the middle, so nothing may have
/// exclusive access to the whole.
@safe struct SessionRecord {
  let ssl: OpaquePointer
  let buffers: Unmanaged<TLSBuffers>
  /// Keeps what the callbacks use as long as the connection lives, past a reload.
  let owner: SessionOwner
  var descriptor: Int32 = -1

  /// Taken from the kernel, not yet by OpenSSL.
  var incoming = Ciphertext()
  /// Encrypted, not yet taken by the kernel.
  var outgoing = Ciphertext()
  /// Bytes of the application whose records are in `outgoing`, and which the caller was not told of.
  var committed = 0

  /// A read came back short or empty: in this turn there is no more.
  var kernelIsDry = false
  /// FIN was read.
  var hasEnded = false
  var wasTruncated = false
  var mayHaveMore = false
  /// What every further `receive` says.
  var end: Transfer?
  /// The socket's error; 0 for none.
  var systemError: Int32 = 0

  var isEstablished = false
  /// FIN is due once `outgoing` is empty.
  var isFinishing = false
  /// The client's choice as the first look at its hello told.
  var protocolChoice = ProtocolChoice.none
  /// Why a callback refused the handshake.
  var refusal: TLSFailure?
}

/// Which context a session came from. It holds a reference, which `release` gives back.
@safe enum SessionOwner {
  case listener(Unmanaged<TLSContext>)
  case backend(Unmanaged<TLSClientContext>, host: Unmanaged<BackendSessions>)

  func release() {
    switch self {
    case .listener(let context): unsafe context.release()
    case .backend(let context, let host):
      unsafe context.release()
      unsafe host.release()
    }
  }
}

/// A session before it has a socket.
@safe public struct TLSSession: ~Copyable {
  private let record: UnsafeMutablePointer<SessionRecord>

  /// - Returns: nil where OpenSSL has no memory.
  init?(_ context: OpaquePointer, _ owner: SessionOwner, _ buffers: TLSBuffers) {
    let made = unsafe SSL_new(context)
    guard let ssl = unsafe made, let bio = unsafe SocketBIO.make() else {
      unsafe SSL_free(made)
      ErrorQueue.clear()
      owner.release()
      return nil
    }
    unsafe record = .allocate(capacity: 1)
    unsafe record.initialize(
      to: SessionRecord(ssl: ssl, buffers: Unmanaged.passRetained(buffers), owner: owner))
    unsafe BIO_set_data(bio, record)
    unsafe SSL_set_bio(ssl, bio, bio)
    unsafe SSL_set_ex_data(ssl, 0, record)
  }

  /// Does something with OpenSSL's session.
  borrowing func configure(_ body: (OpaquePointer) -> Void) { unsafe body(record.pointee.ssl) }

  deinit { unsafe record.free() }

  /// Hands the session to a socket's owner, as the number of its address.
  consuming func intoRecord(for descriptor: Int32) -> UInt {
    let record = unsafe self.record
    discard self
    unsafe record.pointee.descriptor = descriptor
    return UInt(bitPattern: record)
  }
}

extension UnsafeMutablePointer<SessionRecord> {
  /// The record that belongs to a session in a callback.
  static func of(_ ssl: OpaquePointer?) -> UnsafeMutablePointer<SessionRecord>? {
    guard let ssl = unsafe ssl, let data = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
    return unsafe data.assumingMemoryBound(to: SessionRecord.self)
  }

  var buffers: TLSBuffers { unsafe pointee.buffers._withUnsafeGuaranteedRef { $0 } }

  /// Frees all of it. Tells OpenSSL that the end was orderly, as it would else forget how to resume.
  func free() {
    unsafe SSL_set_shutdown(pointee.ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
    unsafe SSL_free(pointee.ssl)
    ErrorQueue.clear()
    let buffers = unsafe pointee.buffers
    unsafe pointee.incoming.clear(self.buffers)
    unsafe pointee.outgoing.clear(self.buffers)
    unsafe pointee.owner.release()
    unsafe deinitialize(count: 1)
    unsafe deallocate()
    unsafe buffers.release()
  }
}
