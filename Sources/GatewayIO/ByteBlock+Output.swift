import GatewayBase

extension ByteBlock {
  /// Lets `body` write into the room behind the block's bytes; what it wrote counts as appended.
  @inlinable public mutating func withRoom<Result>(_ body: (inout OutputSpan<UInt8>) -> Result) -> Result {
    let tail = unsafe UnsafeMutableBufferPointer(start: base + end, count: Limits.block - end)
    var out = unsafe OutputSpan(buffer: tail, initializedCount: 0)
    let result = body(&out)
    end += unsafe out.finalize(for: tail)
    return result
  }
}
