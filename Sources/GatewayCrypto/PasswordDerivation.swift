import COpenSSL
import GatewayBase

/// What is kept of a password: scrypt (RFC 7914) of it with a salt, as text that names the parameters, in the form of
/// PHC strings: `$scrypt$ln=15,r=8,p=3$<salt>$<key>`.
package enum PasswordDerivation {
  /// The least that OWASP asks of scrypt with 32 MiB of memory.
  static let current = Parameters(logN: 15, blockSize: 8, parallelism: 3)
  private static let saltBytes = 16
  private static let keyBytes = 32

  /// What makes it costly.
  struct Parameters: Equatable {
    let logN: Int
    let blockSize: Int
    let parallelism: Int

    /// Whether a machine can do it in a time and with memory that nobody minds: text of our own store says no more.
    var isBounded: Bool {
      (10...17).contains(logN) && (1...16).contains(blockSize) && (1...16).contains(parallelism)
        && memory <= 128 * 1024 * 1024
    }

    var memory: Int { 128 * blockSize << logN }
  }

  /// Derives with a new salt.
  ///
  /// - Throws: `operationFailed` where there is no memory for it.
  package static func derive(_ password: Secret) throws(CryptoError) -> String {
    var generator = SystemRandomNumberGenerator()
    let salt = generator.bytes(saltBytes)
    return text(current, salt, try key(password, current, salt, count: keyBytes))
  }

  /// Whether a password is the one that a text was derived of. Where there is no text, or it is none of these, the answer
  /// is no after the same work.
  ///
  /// - Throws: `operationFailed` where there is no memory for it.
  package static func isPassword(_ password: Secret, of derivation: String?) throws(CryptoError) -> Bool {
    guard let derivation, let kept = Kept(derivation) else {
      _ = try key(password, current, [UInt8](repeating: 0, count: saltBytes), count: keyBytes)
      return false
    }
    return constantTimeEqual(try key(password, kept.parameters, kept.salt, count: kept.key.count), kept.key)
  }

  private static func key(
    _ password: Secret, _ parameters: Parameters, _ salt: [UInt8], count: Int
  ) throws(CryptoError) -> [UInt8] {
    let bytes = password.reveal().map { CChar(bitPattern: $0) }
    var key = [UInt8](repeating: 0, count: count)
    let result = unsafe EVP_PBE_scrypt(
      bytes, bytes.count, salt, salt.count, 1 << UInt64(parameters.logN), UInt64(parameters.blockSize),
      UInt64(parameters.parallelism), UInt64(parameters.memory) * 2, &key, count)
    guard result == 1 else { try CryptoError.fail(.operationFailed("scrypt")) }
    return key
  }

  private static func text(_ parameters: Parameters, _ salt: [UInt8], _ key: [UInt8]) -> String {
    "$scrypt$ln=\(parameters.logN),r=\(parameters.blockSize),p=\(parameters.parallelism)"
      + "$\(Base64.encode(salt, isPadded: false))$\(Base64.encode(key, isPadded: false))"
  }

  /// A text that was read.
  private struct Kept {
    let parameters: Parameters
    let salt: [UInt8]
    let key: [UInt8]

    init?(_ text: String) {
      let parts = text.split(separator: "$", omittingEmptySubsequences: false)
      guard text.utf8.count <= 256, parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
      let figures = parts[2].split(separator: ",", omittingEmptySubsequences: false)
      guard figures.count == 3, let logN = Self.figure(figures[0], "ln="), let size = Self.figure(figures[1], "r="),
        let parallelism = Self.figure(figures[2], "p=")
      else { return nil }
      parameters = Parameters(logN: logN, blockSize: size, parallelism: parallelism)
      guard parameters.isBounded, let salt = Base64.decodeUnpadded(parts[3].utf8),
        let key = Base64.decodeUnpadded(parts[4].utf8), (8...64).contains(salt.count), (16...64).contains(key.count)
      else { return nil }
      self.salt = salt
      self.key = key
    }

    private static func figure(_ text: Substring, _ name: String) -> Int? {
      guard text.hasPrefix(name) else { return nil }
      let digits = text.dropFirst(name.count)
      guard (1...2).contains(digits.utf8.count), digits.utf8.allSatisfy({ $0.isDigit }) else { return nil }
      return Int(digits)
    }
  }
}
