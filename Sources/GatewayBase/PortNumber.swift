/// The text form of ports.
package enum PortNumber {
  /// A port in plain decimal digits without leading zeros, or nil.
  ///
  /// - Parameter lowest: 0 where that stands for "any free one".
  package static func parse(_ digits: some StringProtocol, from lowest: UInt16 = 1) -> UInt16? {
    guard digits.utf8.allSatisfy({ $0.isDigit }), digits == "0" || !digits.hasPrefix("0"), let port = UInt16(digits),
      port >= lowest
    else { return nil }
    return port
  }
}
