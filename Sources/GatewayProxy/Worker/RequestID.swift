import GatewayBase
import GatewayIO

/// 128 bits that name an exchange in answers, logs and traces. Unique, not secret.
package struct RequestID: Sendable, Hashable {
  let high: UInt64
  let low: UInt64

  /// 32 lower-case hexadecimal digits.
  package var text: String {
    Hex.encode((0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> (56 - 8 * UInt64($0 % 8))) })
  }

  func write(to block: inout ByteBlock) {
    block.append(hex: high, digits: 16)
    block.append(hex: low, digits: 16)
  }
}

/// One loop's source of ids: SplitMix64 from a random seed, as the system's generator costs a call each time.
struct IDGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func requestID() -> RequestID { RequestID(high: next() | 1, low: next()) }
}
