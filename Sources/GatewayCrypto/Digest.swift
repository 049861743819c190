import COpenSSL
import GatewayBase

/// Digests of whole messages, off the request's path.
package enum Digest {
  /// SHA-256 (FIPS 180-4): 32 bytes.
  package static func sha256(_ message: [UInt8]) -> [UInt8] { digest(message, "SHA256", count: 32) }

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
  static func sha1(_ message: [UInt8]) -> [UInt8] { digest(message, "SHA1", count: 20) }

  private static func digest(_ message: [UInt8], _ name: String, count: Int) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    let result = unsafe EVP_Q_digest(nil, name, nil, message, message.count, &output, nil)
    precondition(result == 1, "a digest failed")
    return output
  }
}
