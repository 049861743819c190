import GatewayBase

/// Changes bytes at random, the same way in each run.
struct Mutator {
  private var random: SplitMix64
  /// Bytes that mean something to one grammar or another.
  private static let telling = Array("\r\n\0\t :,;%/.[]?#\\\"{}-_=&aA0\u{7F}".utf8) + [0x80, 0xC3, 0xFF]

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// A few changes of `bytes`, of which some put in a piece of `other`.
  mutating func mutated(_ bytes: [UInt8], with other: [UInt8]) -> [UInt8] {
    var result = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = Int.random(in: 0...result.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where index < result.count: result[index] = byte()
      case 1 where index < result.count: result.remove(at: index)
      case 2 where index < result.count: result[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 3: result.insert(byte(), at: index)
      case 4: result.insert(contentsOf: piece(of: other), at: index)
      default: result = Array(result[..<index]) + result[max(0, index - 5)...]
      }
    }
    return result
  }

  private mutating func byte() -> UInt8 {
    Bool.random(using: &random)
      ? Self.telling[Int.random(in: 0..<Self.telling.count, using: &random)] : UInt8.random(in: 0...255, using: &random)
  }

  private mutating func piece(of bytes: [UInt8]) -> ArraySlice<UInt8> {
    let start = Int.random(in: 0...bytes.count, using: &random)
    return bytes[start..<min(bytes.count, start + Int.random(in: 0...24, using: &random))]
  }
}
