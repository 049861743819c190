import COpenSSL
import GatewayBase

/// Digests of whole messages, off the request's path.
package enum Digest {
  /// SHA-256 (FIPS 180-4): 32 bytes.
  package static func sha256(_ message: [UInt8]) -> [UInt8] { digest(message, .sha256, count: 32) }

  /// HMAC with SHA-256 (RFC 2104): 32 bytes.
  package static func hmacSHA256(key: Secret, _ message: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: 32)
    let key = key.reveal()
    let result = unsafe HMAC(
      EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &output, nil)
    precondition(unsafe result != nil, "HMAC-SHA256 failed")
    return output
  }

  /// SHA-1: for names of version-5 UUIDs (RFC 9562 section 5.5) and nothing else, as its collisions are known.
  static func sha1(_ message: [UInt8]) -> [UInt8] { digest(message, .sha1, count: 20) }

  private static func digest(_ message: [UInt8], _ algorithm: DigestAlgorithm, count: Int) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    let result = unsafe EVP_Digest(message, message.count, &output, nil, algorithm.pointer, nil)
    precondition(result == 1, "a digest failed")
    return output
  }
}

/// One of OpenSSL's digests, looked for once: that takes longer than the digest of a short message, and a lock.
///
/// `@unchecked Sendable`: what OpenSSL gives is never changed, and lives as long as the process.
@safe private struct DigestAlgorithm: @unchecked Sendable {
  static let sha256 = DigestAlgorithm("SHA256")
  static let sha1 = DigestAlgorithm("SHA1")

  let pointer: OpaquePointer

  private init(_ name: String) {
    guard let pointer = unsafe EVP_MD_fetch(nil, name, nil) else { preconditionFailure("OpenSSL has no \(name)") }
    unsafe self.pointer = unsafe pointer
  }
}
