import GatewayBase
import GatewayHTTP
import GatewayIO

/// W3C Trace Context: a client's trace is continued where its `traceparent` is well-formed, else one is begun that
/// has the request's id.
enum TraceContext {
  private static let version00Count = 55

  static func write(
    _ id: RequestID, span: UInt64, head: Span<UInt8>, fields: borrowing FieldTable, to block: inout ByteBlock
  ) {
    block.append("traceparent: 00-")
    if let field = fields.only(.traceparent), isWellFormed(head.extracting(field.valueRange)) {
      let parent = head.extracting(field.valueRange)
      block.append(parent.extracting(3..<36))
      block.append(hex: span | 1, digits: 16)
      block.append(parent.extracting(52..<55))
      block.append("\r\n")
      if let state = fields.only(.tracestate) { block.append(state, of: head) }
    } else {
      id.write(to: &block)
      block.append("-")
      block.append(hex: span | 1, digits: 16)
      block.append("-01\r\n")
    }
  }

  /// `00-<32 hex>-<16 hex>-<2 hex>` in lower case, neither id all zeros.
  static func isWellFormed(_ value: Span<UInt8>) -> Bool {
    guard value.count == version00Count, value[0] == zero, value[1] == zero else { return false }
    for index in [2, 35, 52] where value[index] != UInt8(ascii: "-") { return false }
    return isID(value.extracting(3..<35)) && isID(value.extracting(36..<52)) && isHex(value.extracting(53..<55))
  }

  private static func isID(_ digits: Span<UInt8>) -> Bool {
    guard isHex(digits) else { return false }
    for index in digits.indices where digits[index] != zero { return true }
    return false
  }

  private static func isHex(_ digits: Span<UInt8>) -> Bool {
    for index in digits.indices {
      guard Hex.value(of: digits[index]) != nil, !(0x41...0x46).contains(digits[index]) else { return false }
    }
    return true
  }

  private static let zero = UInt8(ascii: "0")
}
