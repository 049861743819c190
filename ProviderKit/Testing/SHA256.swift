import Foundation

/// SHA-256 (FIPS 180-4), so that the plugin's tests need nothing of the gateway.
public enum SHA256 {
  private static let primes = (2...311).filter { n in !(2..<n).contains { n % $0 == 0 } }.map(Double.init)
  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants = primes.map { fraction(cbrt($0)) }
  private static let start = primes.prefix(8).map { fraction($0.squareRoot()) }

  /// 32 bytes.
  public static func digest(_ message: [UInt8]) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: (119 - message.count % 64) % 64)
    let bits = UInt64(message.count) * 8
    let bytes = message + [0x80] + padding + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - $0 * 8)) }
    var hash = Array(start)
    for block in stride(from: 0, to: bytes.count, by: 64) {
      hash = zip(hash, compress(hash, block: bytes[block..<block + 64])).map { $0 &+ $1 }
    }
    return hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - $0 * 8)) } }
  }

  private static func compress(_ state: [UInt32], block: ArraySlice<UInt8>) -> [UInt32] {
    var w = stride(from: block.startIndex, to: block.endIndex, by: 4).map { at in
      block[at..<at + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    }
    for i in 16..<64 {
      let s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3
      let s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10
      w.append(w[i - 16] &+ s0 &+ w[i - 7] &+ s1)
    }
    var s = state
    for i in 0..<64 {
      let s1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)
      let t1 = s[7] &+ s1 &+ (s[4] & s[5] ^ ~s[4] & s[6]) &+ constants[i] &+ w[i]
      let s0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)
      let t2 = s0 &+ (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2])
      s = [t1 &+ t2, s[0], s[1], s[2], s[3] &+ t1, s[4], s[5], s[6]]
    }
    return s
  }

  private static func fraction(_ number: Double) -> UInt32 { UInt32((number - number.rounded(.down)) * 4_294_967_296) }

  private static func rotate(_ word: UInt32, _ by: UInt32) -> UInt32 { word >> by | word << (32 - by) }
}
