import CNghttp2

/// Lists of fields in the form of RFC 7541.
package enum HTTP2FieldList {
  /// Literal fields that no table keeps, without Huffman coding: any bytes can be sent so.
  package static func encode(_ fields: [(name: String, value: String)]) -> [UInt8] {
    fields.flatMap { [0] + literal($0.name) + literal($0.value) }
  }

  private static func literal(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
    var length: [UInt8] = [127]
    var rest = bytes.count - 127
    while rest >= 128 {
      length.append(UInt8(rest & 0x7F | 0x80))
      rest >>= 7
    }
    return length + [UInt8(rest)] + bytes
  }
}

/// Takes a peer's lists of fields out of compression, one after another.
@safe final class HTTP2Inflater {
  private let inflater: OpaquePointer

  init() throws {
    var made: OpaquePointer?
    guard unsafe nghttp2_hd_inflate_new(&made) == 0, let made = unsafe made else { throw TestFailure("no memory") }
    unsafe inflater = unsafe made
  }

  deinit { unsafe nghttp2_hd_inflate_del(inflater) }

  /// - Throws: `TestFailure` for a list that is malformed.
  func inflate(_ block: [UInt8]) throws -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    try unsafe block.withUnsafeBufferPointer { buffer in
      var position = 0
      while true {
        var field = unsafe nghttp2_nv()
        var flags: Int32 = 0
        let input = unsafe buffer.baseAddress.map { unsafe $0 + position }
        let count = unsafe nghttp2_hd_inflate_hd2(inflater, &field, &flags, input, buffer.count - position, 1)
        guard count >= 0 else { throw TestFailure("a malformed list of fields") }
        position += count
        if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
          fields.append(
            (unsafe text(field.name, field.namelen), unsafe text(field.value, field.valuelen)))
        }
        if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
          unsafe nghttp2_hd_inflate_end_headers(inflater)
          return
        }
      }
    }
    return fields
  }

  private func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
    unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
