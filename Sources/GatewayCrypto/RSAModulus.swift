/// Cheap signs that a modulus was made badly.
enum RSAModulus {
  /// Whether an RSA modulus, big-endian and without leading zeros, has a fit size, no small factor and no ROCA mark.
  static func isSane(_ modulus: ArraySlice<UInt8>) -> Bool {
    guard let first = modulus.first, let last = modulus.last, last % 2 == 1 else { return false }
    let bits = modulus.count * 8 - first.leadingZeroBitCount
    guard (2048...8192).contains(bits) else { return false }
    let residues = primes.map { prime in (prime, remainder(of: modulus, by: prime)) }
    return residues.allSatisfy { $0.1 != 0 } && !hasROCAMark(residues)
  }

  /// The odd primes up to 167, as the published test for CVE-2017-15361 uses them.
  private static let primes: [UInt32] = (3...167).filter { number in
    (2..<number).allSatisfy { number % $0 != 0 }
  }

  private static func remainder(of modulus: ArraySlice<UInt8>, by prime: UInt32) -> UInt32 {
    modulus.reduce(0) { ($0 << 8 | UInt32($1)) % prime }
  }

  /// ROCA (CVE-2017-15361): keys of one maker's chips, whose factors can be found. Modulo every small prime such a
  /// modulus is a power of 65,537; by chance that happens to one sound key in 2²⁷ or fewer.
  private static func hasROCAMark(_ residues: [(prime: UInt32, value: UInt32)]) -> Bool {
    residues.allSatisfy { prime, value in
      var power: UInt32 = 1
      for _ in 1..<prime {
        if power == value { return true }
        power = power * (65_537 % prime) % prime
      }
      return false
    }
  }
}
