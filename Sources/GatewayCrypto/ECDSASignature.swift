/// The two forms of an ECDSA signature on P-256: r and s side by side, 32 bytes each (RFC 7518 section 3.4), and the
/// DER sequence that OpenSSL speaks (RFC 3279 section 2.2.3).
enum ECDSASignature {
  /// The DER form; nil unless there are exactly 64 bytes. Whether r and s lie in [1, n-1] is for the verification.
  static func der(raw: [UInt8]) -> [UInt8]? {
    guard raw.count == 2 * KeyHandle.fieldBytes else { return nil }
    let content = integer(raw.prefix(KeyHandle.fieldBytes)) + integer(raw.suffix(KeyHandle.fieldBytes))
    return [0x30, UInt8(content.count)] + content
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var magnitude = Array(bytes.drop { $0 == 0 })
    if magnitude.first.map({ $0 >= 0x80 }) ?? true { magnitude.insert(0, at: 0) }
    return [0x02, UInt8(magnitude.count)] + magnitude
  }

  /// The 64 bytes of a DER form that OpenSSL wrote; nil for anything else.
  static func raw(der: [UInt8]) -> [UInt8]? {
    guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
    var rest = der.dropFirst(2)
    guard let r = takeInteger(&rest), let s = takeInteger(&rest), rest.isEmpty else { return nil }
    return r + s
  }

  private static func takeInteger(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard rest.popFirst() == 0x02, let count = rest.popFirst(), rest.count >= Int(count) else { return nil }
    let magnitude = rest.prefix(Int(count)).drop { $0 == 0 }
    rest = rest.dropFirst(Int(count))
    guard magnitude.count <= KeyHandle.fieldBytes else { return nil }
    return [UInt8](repeating: 0, count: KeyHandle.fieldBytes - magnitude.count) + magnitude
  }
}
