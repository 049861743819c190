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
    block.append(hex16: high)
    block.append(hex16: low)
  }
}

/// One loop's source of ids: SplitMix64 from a random seed, as the system's generator costs a call each time.
struct IDGenerator {
  private var numbers: SplitMix64

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { numbers.next() }

  mutating func requestID() -> RequestID { RequestID(high: next() | 1, low: next()) }
}
