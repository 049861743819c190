import COpenSSL
import GatewayBase

/// The keys that session tickets are encrypted with (RFC 5077, RFC 8446 section 4.6.1): made here, never stored, and
/// replaced in time, so that one that leaks opens no old recordings of TLS 1.2.
///
/// All listeners and loops share one, also past a reload.
package final class TLSTicketKeys: Sendable {
  /// Seconds that a key encrypts, and that a ticket lives. A key then decrypts for as long again.
  package static let lifetime: Int64 = 12 * 3600

  struct Key: Sendable {
    /// Stands in the ticket, to find its key.
    let name: [UInt8]
    let cipherKey: [UInt8]
    let macKey: [UInt8]
    let madeAt: UnixTime
  }

  private struct State {
    var current: Key?
    var previous: Key?
  }

  private let state = Locked(State())
  private let clock: any WallClock

  package init(clock: any WallClock = SystemClock()) { self.clock = clock }

  /// The key for new tickets; nil where there is no randomness.
  func current() -> Key? {
    let now = clock.now
    return state.withLock { state in
      Self.rotate(&state, now)
      return state.current
    }
  }

  /// The key of a ticket, where it may still decrypt.
  func key(named name: [UInt8]) -> Key? {
    let now = clock.now
    return state.withLock { state in
      Self.rotate(&state, now)
      return [state.current, state.previous].compactMap { $0 }.first { $0.name == name }
    }
  }

  private static func rotate(_ state: inout State, _ now: UnixTime) {
    if let current = state.current, (0..<lifetime).contains(now.seconds - current.madeAt.seconds) { return }
    if let current = state.current, (0..<(2 * lifetime)).contains(now.seconds - current.madeAt.seconds) {
      state.previous = current
    } else {
      state.previous = nil
    }
    state.current = key(now)
  }

  private static func key(_ now: UnixTime) -> Key? {
    var bytes = [UInt8](repeating: 0, count: 16 + 32 + 32)
    guard unsafe RAND_bytes(&bytes, Int32(bytes.count)) == 1 else {
      ErrorQueue.clear()
      return nil
    }
    return Key(
      name: Array(bytes[..<16]), cipherKey: Array(bytes[16..<48]), macKey: Array(bytes[48...]), madeAt: now)
  }
}

/// OpenSSL's question for the key of a ticket.
enum TicketCallback {
  /// Fetched once: to look an algorithm up by its name costs more than to use it.
  nonisolated(unsafe) private static let cipher: OpaquePointer? = unsafe EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)

  /// - Returns: 1 for a key; 2 where the client should get a new ticket; 0 to do without; -1 on failure.
  static func run(
    _ ssl: OpaquePointer?, _ name: UnsafeMutablePointer<UInt8>?, _ iv: UnsafeMutablePointer<UInt8>?,
    _ context: OpaquePointer?, _ mac: OpaquePointer?, _ encrypts: Int32
  ) -> Int32 {
    guard let record = unsafe UnsafeMutablePointer<SessionRecord>.of(ssl), let name = unsafe name, let iv = unsafe iv,
      case .listener(let owner) = unsafe record.pointee.owner
    else { return -1 }
    let keys = unsafe owner._withUnsafeGuaranteedRef { $0.tickets }
    if encrypts == 1 {
      guard let key = keys.current(), unsafe RAND_bytes(iv, EVP_MAX_IV_LENGTH) == 1 else { return 0 }
      for (index, byte) in key.name.enumerated() { unsafe name[index] = byte }
      guard unsafe EVP_EncryptInit_ex2(context, cipher, key.cipherKey, iv, nil) == 1, unsafe authenticate(mac, key)
      else { return -1 }
      return 1
    }
    let asked = unsafe Array(UnsafeBufferPointer(start: name, count: 16))
    guard let key = keys.key(named: asked) else { return 0 }
    guard unsafe EVP_DecryptInit_ex2(context, cipher, key.cipherKey, iv, nil) == 1, unsafe authenticate(mac, key)
    else { return -1 }
    // TLS 1.3 has a ticket for each connection, so that none can be followed by it (RFC 8446 section C.4).
    return unsafe SSL_version(ssl) != TLS1_3_VERSION && key.name == keys.current()?.name ? 1 : 2
  }

  private static func authenticate(_ mac: OpaquePointer?, _ key: TLSTicketKeys.Key) -> Bool {
    var bytes = key.macKey
    return unsafe copenssl_key_mac(mac, &bytes, bytes.count) == 1
  }
}

/// SHA-256 where nothing else of cryptography is at hand.
enum SHA256Hash {
  nonisolated(unsafe) private static let algorithm: OpaquePointer? = unsafe EVP_MD_fetch(nil, "SHA256", nil)

  static func bytes(_ text: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let isDone = unsafe EVP_Digest(text, text.count, &digest, nil, algorithm, nil)
    precondition(isDone == 1, "SHA-256 failed")
    return digest
  }
}
