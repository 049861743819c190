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
    if let trace = traceID(head, fields) {
      block.append(head.extracting(trace))
      block.append("-")
      block.append(hex16: span | 1)
      // The flags stand behind the parent's id.
      block.append(head.extracting((trace.upperBound + 17)..<(trace.upperBound + 20)))
      block.append("\r\n")
      if let state = fields.only(.tracestate) { block.append(state, of: head) }
    } else {
      id.write(to: &block)
      block.append("-")
      block.append(hex16: span | 1)
      block.append("-01\r\n")
    }
  }

  /// Where the trace's id is in the head, where a client's trace is to be continued.
  static func traceID(_ head: Span<UInt8>, _ fields: borrowing FieldTable) -> Range<Int>? {
    guard let field = fields.only(.traceparent), isWellFormed(head.extracting(field.valueRange)) else { return nil }
    let start = field.valueRange.lowerBound
    return (start + 3)..<(start + 35)
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
